//! A real browser without a window, spoken to over a pipe in its DevTools protocol.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    next: u64,
    /// Events that came while an answer was waited for.
    pub events: Vec<Value>,
    _profile: TempDir,
}

impl Browser {
    pub fn start() -> Browser {
        let tool = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/browser");
        let found = Command::new(tool).stderr(Stdio::inherit()).output().expect("the tool runs");
        assert!(found.status.success(), "no browser to test the page with");
        let program = String::from_utf8(found.stdout).expect("a path");
        let profile = tempfile::tempdir().expect("a temporary folder");
        // The browser reads commands on descriptor 3 and answers on 4.
        let script = "exec \"$0\" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage \
                      --no-first-run --remote-debugging-pipe --user-data-dir=\"$1\" \
                      --window-size=1200,900 3<&0 4>&1 >/dev/null 2>&1";
        let mut child = Command::new("sh")
            .args(["-c", script, program.trim()])
            .arg(profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let to = child.stdin.take().expect("piped");
        let from = BufReader::new(child.stdout.take().expect("piped"));
        let mut browser =
            Browser { child, to, from, session: None, next: 0, events: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let target = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", target);
        browser.session = session["sessionId"].as_str().map(str::to_string);
        for domain in ["Page.enable", "Runtime.enable", "Network.enable", "Log.enable"] {
            browser.call(domain, json!({}));
        }
        browser
    }

    /// Asks, and waits for the answer.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = serde_json::to_vec(&message).expect("plain data");
        bytes.push(0);
        self.to.write_all(&bytes).expect("the browser listens");
        self.to.flush().expect("the browser listens");
        loop {
            let mut answer = Vec::new();
            self.from.read_until(0, &mut answer).expect("the browser answers");
            assert_eq!(answer.pop(), Some(0), "the browser ended");
            let answer: Value = serde_json::from_slice(&answer).expect("JSON");
            if answer["id"] == self.next {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Opens a page and waits until it says that it is ready.
    pub fn open(&mut self, path: &Path) {
        self.call("Page.navigate", json!({"url": format!("file://{}", path.display())}));
        let name = path.file_name().and_then(|name| name.to_str()).expect("a file name");
        let there = format!("location.pathname.endsWith('{name}')");
        self.wait_for(&format!("{there} && document.documentElement?.dataset.ready === '1'"));
    }

    /// What a piece of JavaScript gives.
    pub fn evaluate(&mut self, code: &str) -> Value {
        let params = json!({"expression": code, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer["exceptionDetails"].is_null(), "{code}: {answer}");
        answer["result"]["value"].clone()
    }

    pub fn wait_for(&mut self, condition: &str) {
        let start = Instant::now();
        while self.evaluate(condition) != json!(true) {
            assert!(start.elapsed() < PATIENCE, "it never came true that {condition}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Chooses "light" or "dark" as the person's wish.
    pub fn prefer(&mut self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Complaints of the page, and what it asked the network for.
    pub fn complaints(&self) -> Vec<String> {
        let bad = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Log.entryAdded") => event["params"]["entry"]["level"] == "error",
            Some("Network.requestWillBeSent") => {
                let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
                !url.starts_with("file://") && !url.starts_with("data:") && url != "about:blank"
            }
            _ => false,
        };
        self.events.iter().filter(bad).map(ToString::to_string).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
