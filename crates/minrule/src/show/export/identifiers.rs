//! Names of columns as names in a program: valid, different from one another, and still alike.

use hashbrown::HashSet;

/// An identifier for each name, none of them among the keywords, which blanks separate.
pub(crate) fn identifiers<'n>(names: impl Iterator<Item = &'n str>, keywords: &str) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::new();
    let unique = names.map(|name| {
        let plain = identifier(name, keywords);
        let numbered = (2..).map(|i| format!("{}_{i}", plain.trim_end_matches('_')));
        let free = std::iter::once(plain.clone()).chain(numbered).find(|name| !taken.contains(name));
        let free = free.expect("there is always another number");
        taken.insert(free.clone());
        free
    });
    unique.collect()
}

/// Small letters, digits and single underscores.
fn identifier(name: &str, keywords: &str) -> String {
    let mut words: Vec<String> = vec![String::new()];
    for c in name.chars() {
        match c.is_ascii_alphanumeric() {
            true => words.last_mut().expect("never empty").push(c.to_ascii_lowercase()),
            false => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    let joined = words.join("_");
    if joined.is_empty() {
        return "column".to_string();
    }
    if joined.starts_with(|c: char| c.is_ascii_digit()) {
        return format!("column_{joined}");
    }
    if keywords.split(' ').any(|keyword| keyword == joined) {
        return format!("{joined}_");
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_valid_and_unique() {
        let names = ["income", "Income", "if", "TV Show", "2nd", "", "größe", "€", "income_2", "if_"];
        let expected = [
            "income",
            "income_2",
            "if_",
            "tv_show",
            "column_2nd",
            "column",
            "gr_e",
            "column_2",
            "income_2_2",
            "if_2",
        ];
        assert_eq!(identifiers(names.into_iter(), "as if"), expected);
    }
}
