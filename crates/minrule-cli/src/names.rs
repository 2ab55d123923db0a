//! Settings of the library as options of the command line.

use minrule::text::one_line;
use minrule::{Names, Setting};

/// What options are called.
pub(crate) struct OptionNames;

impl Names for OptionNames {
    fn setting(&self, setting: Setting) -> String {
        format!("`{}`", option(setting))
    }

    fn value(&self, setting: Setting, value: &str) -> String {
        format!("`{} {value}`", option(setting))
    }

    fn list(&self, setting: Setting, texts: &[String]) -> String {
        format!("`{} \"{}\"`", option(setting), one_line(&texts.join(",")))
    }
}

fn option(setting: Setting) -> String {
    let name = match setting {
        Setting::Objective => "minimize",
        Setting::Folds => "cross-validate",
        other => other.name(),
    };
    format!("--{}", name.replace('_', "-"))
}
