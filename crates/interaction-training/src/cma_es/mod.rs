/*!
Evolution strategy with covariance matrix adaptation: minimises a function from its values alone.

```text
xᵢ = m + σ yᵢ,   yᵢ = A zᵢ,   zᵢ ~ N(0, I),   A Aᵀ = C                      ask
m ← m + σ Σ wᵢ yᵢ                       the better half, best first          tell
p_σ ← (1 − c_σ) p_σ + √(c_σ(2 − c_σ)μ_eff) Σ wᵢ zᵢ,      σ ← σ exp(c_σ/d_σ (|p_σ|/E|N(0,I)| − 1))
p_c ← (1 − c_c) p_c + h √(c_c(2 − c_c)μ_eff) Σ wᵢ yᵢ
C ← (1 + c₁δ − c₁ − c_μ Σwᵢ) C + c₁ p_c p_cᵀ + c_μ Σ wᵢ° yᵢ yᵢᵀ          all of them, the worse with negative weights
```

[`Covariance`] selects the form of C: full, diagonal, or a few directions. [`CmaEs`] is one descent by ask and tell, [`Search`]
adds restarts with twice the population. Draws are numbered by seed, restart, generation and candidate, so neither threads
nor an interruption change a result.

N. Hansen, "The CMA evolution strategy: a tutorial", arXiv:1604.00772, 2016. A. Auger, N. Hansen, "A restart CMA
evolution strategy with increasing population size", CEC 2005.
*/

mod checkpoint;
mod constants;
mod covariance;
mod directions;
mod evolution;
mod full;
mod generation;
mod options;
mod search;
mod separable;
mod stopping;

pub use evolution::CmaEs;
pub use options::{CmaOptions, Covariance};
pub use search::Search;
pub use stopping::Stopped;
