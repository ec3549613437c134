//! Text tables with aligned columns.

/// A table that grows row by row.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(ToString::to_string).collect()] }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

impl std::fmt::Display for Table {
    /// Numbers to the right, words to the left, a rule under the head.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cell = |row: &'_ [String], column: usize| row.get(column).cloned().unwrap_or_default();
        let width =
            |column: usize| self.rows.iter().map(|row| cell(row, column).chars().count()).max().unwrap_or(0);
        let is_number = |column: usize| {
            let body = self.rows.iter().skip(1).map(|row| cell(row, column));
            body.filter(|text| !text.is_empty())
                .all(|text| text.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
        };
        for (index, row) in self.rows.iter().enumerate() {
            let cells: Vec<String> = (0..columns)
                .map(|column| match is_number(column) {
                    true => format!("{:>1$}", cell(row, column), width(column)),
                    false => format!("{:<1$}", cell(row, column), width(column)),
                })
                .collect();
            writeln!(f, "{}", cells.join("  ").trim_end())?;
            if index == 0 {
                let rules: Vec<String> = (0..columns).map(|column| "-".repeat(width(column))).collect();
                writeln!(f, "{}", rules.join("  "))?;
            }
        }
        Ok(())
    }
}
