//! What to expect on new rows, which the page says before anything else.

use crate::apply::choose::Expected;
use crate::show::export::escaped;
use crate::show::report::words::{percent, points};

/// How right the rules will be, if that was found out; else how to find out. `always` is what saying one class
/// comes to: its name, its rows, and all rows. As HTML.
pub(super) fn html(expected: Option<&Expected>, (name, rows, all): (&str, u64, u64)) -> String {
    let Some(expected) = expected else {
        return "<div class=\"expected unknown\" id=\"expected\" role=\"note\">\n\
             <p><b>How right it will be on new rows is not known.</b></p>\n\
             <p>Rows that rules were learned from do not tell. <code>minrule learn --alpha auto</code> finds rules \
             that generalise and says what to expect of them; <code>minrule learn --cross-validate 5 --model \
             FILE</code> finds it out for rules like these.</p>\n</div>\n"
            .to_string();
    };
    format!(
        "<div class=\"expected\" id=\"expected\" role=\"note\">\n\
         <p><b>{}</b> <span>± {} of new rows expected to be right</span></p>\n\
         <p>By {}; ± is one standard error. Always saying {}: {}.</p>\n</div>\n",
        share(expected.accuracy),
        points(expected.se),
        escaped(&expected.how),
        escaped(name),
        percent(rows, all),
    )
}

/// A share that is a mean, to a tenth of a per cent.
pub(super) fn share(share: f64) -> String {
    percent((share.clamp(0.0, 1.0) * 1e9).round() as u64, 1_000_000_000)
}
