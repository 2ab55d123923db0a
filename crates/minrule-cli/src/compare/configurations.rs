//! Methods by name: those of the paper's evaluation, and ours.

use minrule::{Error, Result};

/// A name, and the options of `minrule learn` that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Configuration {
    pub(crate) name: String,
    pub(crate) options: Vec<String>,
}

/// The paper calls the first eight `ruler` with `ilp` or `rc2` and `r` or `l`; those that break
/// symmetries have a `b` there, and those that do not are called `-all` here.
const KNOWN: [(&str, &str); 14] = [
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
];

/// The names that there are.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|(name, _)| *name)
}

/// Those asked for by name, all if none is, and those spelled out as "name: options".
pub(crate) fn chosen(names: &[String], spelled_out: &[String]) -> Result<Vec<Configuration>> {
    let configuration = |name: &str, options: &str| Configuration {
        name: name.to_string(),
        options: options.split_whitespace().map(str::to_string).collect(),
    };
    let bad = |option, given: &str, allowed| {
        Err(Error::BadOption { option, given: format!("\"{given}\""), allowed })
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
    use crate::args::{Cli, Command};
    use clap::Parser;

    #[test]
    fn every_known_name_stands_for_options_that_exist() {
        for configuration in chosen(&[], &[]).unwrap() {
            let line = ["minrule", "learn", "t.csv"].map(str::to_string).into_iter();
            let cli = Cli::try_parse_from(line.chain(configuration.options)).unwrap();
            assert!(matches!(cli.command, Command::Learn(_)), "{}", configuration.name);
        }
    }

    #[test]
    fn names_are_known_and_said_once() {
        let names =
            |names: &[&str]| chosen(&names.iter().map(|n| n.to_string()).collect::<Vec<_>>(), &[]);
        assert_eq!(names(&["opt", "mds2"]).unwrap()[0].options, ["--method", "opt"]);
        assert!(names(&["best"]).is_err() && names(&["opt", "opt"]).is_err());
        assert!(chosen(&[], &["no options".to_string()]).is_err());
    }
}
