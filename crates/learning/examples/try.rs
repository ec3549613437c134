//! scratch
use tightfit_learning::depth::*; use tightfit_network::*; use tightfit_network::training::*;
fn main(){
    let a:Vec<String>=std::env::args().collect();
    let part=tightfit_shape::preset::preset(&a[1]).unwrap();
    let act=match a[2].as_str(){"relu"=>Activation::Relu,"silu"=>Activation::Silu,"tanh"=>Activation::Tanh,_=>Activation::LeakyRelu{slope:0.1}};
    let f=|i:usize,d:f64|a.get(i).and_then(|x|x.parse().ok()).unwrap_or(d);
    let r=DepthRecipe{activation:act,samples:f(6,1e6) as usize,band:f(7,2e-3),near:f(8,150e-6),training:TrainingOptions{steps:f(3,2e4) as u64,learning_rate:f(4,2e-3),batch:f(5,3840.0) as usize,threads:1,check_every:1000,..Default::default()},..Default::default()};
    let t=std::time::Instant::now();
    let out=train_depth(&part,&a[1],&r,None,|p|{ if p.step%5000==0 || p.step==1000 {println!("{} {:.0}s {:.3} um",p.step,t.elapsed().as_secs_f64(),p.error*1e6);} true}).unwrap();
    let e=out.errors;
    println!("{} {:?} mean {:.3} med {:.3} p95 {:.3} p99 {:.3} max {:.2} um normal deg {:.3} {:.3} {:.3} time {:.0}s",a[1..].join(" "),out.stop,e.mean*1e6,e.median*1e6,e.p95*1e6,e.p99*1e6,e.max*1e6,e.normal_median.to_degrees(),e.normal_p95.to_degrees(),e.normal_p99.to_degrees(),t.elapsed().as_secs_f64());
}
