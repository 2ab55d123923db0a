//! Methods by name: those of the paper's evaluation, and ours.

use minrule::{Choice, Error, LearnOptions, Request, Result};

/// A name, and the options of `minrule learn` that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    /// How it is called.
    pub name: String,
    /// Options, with blanks between.
    pub options: String,
}

impl Configuration {
    /// What it means for the library, on one thread. Only options of the method are known here.
    pub fn learn_options(&self) -> Result<LearnOptions> {
        let mut asked = Request { threads: Some(1), ..Request::default() };
        let mut words = self.options.split_whitespace();
        while let Some(word) = words.next() {
            if word == "--break-symmetry" || word == "--no-break-symmetry" {
                asked.break_symmetry = Some(word == "--break-symmetry");
                continue;
            }
            let value = words.next().unwrap_or_default();
            match word {
                "--method" => asked.method = Some(self.named(value)?),
                "--minimize" => asked.objective = Some(self.named(value)?),
                "--rules" => asked.rules = Some(self.named(value)?),
                "--cover" => asked.cover = Some(self.named(value)?),
                "--opt-model" => asked.opt_model = Some(self.named(value)?),
                "--opt-search" => asked.opt_search = Some(self.named(value)?),
                _ => return Err(self.unknown()),
            }
        }
        asked.options()
    }

    fn named<C: Choice>(&self, name: &str) -> Result<C> {
        C::named(name).ok_or_else(|| self.unknown())
    }

    fn unknown(&self) -> Error {
        let given = format!("\"{}\"", self.options);
        Error::Unsuitable { what: "a method", given, allowed: "options of the method that there are" }
    }
}

/// The paper calls the first eight `ruler` with `ilp` or `rc2` and `r` or `l`; those that break
/// symmetries have a `b` there, and those that do not are called `-all` here.
const KNOWN: [(&str, &str); 15] = [
    ("ilp-rules", "--method enumerate --cover ilp --minimize rules"),
    ("ilp-literals", "--method enumerate --cover ilp --minimize literals"),
    ("maxsat-rules", "--method enumerate --cover maxsat --minimize rules"),
    ("maxsat-literals", "--method enumerate --cover maxsat --minimize literals"),
    ("ilp-rules-all", "--method enumerate --cover ilp --minimize rules --no-break-symmetry"),
    ("ilp-literals-all", "--method enumerate --cover ilp --minimize literals --no-break-symmetry"),
    ("maxsat-rules-all", "--method enumerate --cover maxsat --minimize rules --no-break-symmetry"),
    ("maxsat-literals-all", "--method enumerate --cover maxsat --minimize literals --no-break-symmetry"),
    ("mds2", "--method mds2"),
    ("mds2-star", "--method mds2-star"),
    ("opt", "--method opt"),
    ("lazy-rules", "--method lazy --minimize rules"),
    ("lazy-literals", "--method lazy --minimize literals"),
    ("lazy-size", "--method lazy --minimize size"),
    ("lazy-rules-then-literals", "--method lazy --minimize rules-then-literals"),
];

/// The names that there are.
pub fn known_names() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|(name, _)| *name)
}

/// Those asked for by name, all if none is, and those spelled out as "name: options".
pub fn chosen(names: &[String], spelled_out: &[String]) -> Result<Vec<Configuration>> {
    let configuration = |name: &str, options: &str| Configuration {
        name: name.to_string(),
        options: options.trim().to_string(),
    };
    let bad = |what, given: &str, allowed| {
        Err(Error::Unsuitable { what, given: format!("\"{given}\""), allowed })
    };
    let mut chosen: Vec<Configuration> = Vec::new();
    for name in names {
        match KNOWN.iter().find(|(known, _)| known == name) {
            Some((name, options)) => chosen.push(configuration(name, options)),
            None => return bad("--methods", name, "names that `minrule compare --help` lists"),
        }
    }
    if names.is_empty() && spelled_out.is_empty() {
        chosen.extend(KNOWN.iter().map(|(name, options)| configuration(name, options)));
    }
    for text in spelled_out {
        match text.split_once(':') {
            Some((name, options)) if !name.trim().is_empty() => {
                chosen.push(configuration(name.trim(), options));
            }
            _ => return bad("--configuration", text, "a name, a colon and options of `minrule learn`"),
        }
    }
    for (i, one) in chosen.iter().enumerate() {
        if chosen[..i].iter().any(|other| other.name == one.name) {
            return bad("--methods", &one.name, "named once");
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two names that stand for the same, if there are any.
    fn twins(all: &[Configuration]) -> Option<(&str, &str)> {
        let options: Vec<LearnOptions> = all.iter().map(|c| c.learn_options().unwrap()).collect();
        let mut pairs = (0..all.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        let twins = pairs.find(|&(i, j)| options[i] == options[j]);
        twins.map(|(i, j)| (all[i].name.as_str(), all[j].name.as_str()))
    }

    #[test]
    fn every_known_name_stands_for_options_that_exist() {
        let known = chosen(&[], &[]).unwrap();
        assert_eq!((known.len(), twins(&known)), (15, None));
        let other = Configuration { name: "x".into(), options: "--method guess".into() };
        assert!(other.learn_options().is_err());
    }

    #[test]
    fn twins_are_found_wherever_they_stand() {
        let names = ["opt", "mds2"].map(String::from);
        let all = chosen(&names, &["again: --minimize size --method opt".to_string()]).unwrap();
        assert_eq!(twins(&all), Some(("opt", "again")));
    }

    #[test]
    fn names_are_known_and_said_once() {
        let names =
            |names: &[&str]| chosen(&names.iter().map(|n| n.to_string()).collect::<Vec<_>>(), &[]);
        assert_eq!(names(&["opt", "mds2"]).unwrap()[0].options, "--method opt");
        assert!(names(&["best"]).is_err() && names(&["opt", "opt"]).is_err());
        assert!(chosen(&[], &["no options".to_string()]).is_err());
    }
}
