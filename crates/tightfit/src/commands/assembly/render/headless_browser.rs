//! A browser without a window that draws the viewer's page: Chromium, driven by the DevTools protocol.
//!
//! The browser writes its port into `DevToolsActivePort`; commands are JSON over a WebSocket, each with a number that the
//! reply repeats. <https://chromedevtools.github.io/devtools-protocol/>

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use base64::Engine;
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, protocol::WebSocketConfig};

/// Where Debian, Fedora, Homebrew and Google put the browser.
const BROWSERS: [&str; 6] = [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/usr/bin/google-chrome-stable",
    "/opt/homebrew/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
/// A browser on a busy machine may need this long for its start or for one picture.
const PATIENCE: Duration = Duration::from_secs(90);

/// Finds the browser that draws pictures.
///
/// # Errors
/// With the remedy, where none is installed.
pub(super) fn find_browser() -> Result<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let found = named.or_else(|| BROWSERS.iter().map(PathBuf::from).find(|path| path.exists()));
    found.context(
        "pictures are drawn by Chromium, which was not found; install `chromium`, set CHROMIUM to its path, or write .glb \
         or .html instead",
    )
}

/// A running browser that shows one page.
pub(super) struct HeadlessBrowser {
    process: Child,
    /// The browser's profile, and the page.
    folder: PathBuf,
    socket: Option<WebSocket<TcpStream>>,
    session: Option<String>,
    commands: u64,
}

impl HeadlessBrowser {
    /// Starts the browser with a page of this text and size [pixels]; `hash` is the part of its address after `#`.
    pub(super) fn open(browser: &Path, html: &str, hash: &str, size: [u32; 2]) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("tightfit-render-{}", std::process::id()));
        std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        let page = folder.join("page.html");
        std::fs::write(&page, html).with_context(|| format!("{} cannot be written", page.display()))?;
        let process = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--hide-scrollbars", "--no-first-run", "--disable-sync"])
            .args(["--disable-background-networking", "--disable-component-update", "--ignore-gpu-blocklist"])
            .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-port=0"])
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .arg(format!("--window-size={},{}", size[0], size[1]))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{} could not be started", browser.display()))?;
        let mut own = Self { process, folder, socket: None, session: None, commands: 0 };
        own.connect()?;
        own.show(&format!("file://{}#{hash}", page.display()), size)?;
        Ok(own)
    }

    /// Waits for the port that the browser chose, and connects to it.
    fn connect(&mut self) -> Result<()> {
        let file = self.folder.join("profile/DevToolsActivePort");
        let start = Instant::now();
        let (port, path) = loop {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            if let Some((port, path)) = text.split_once('\n')
                && let Ok(port) = port.trim().parse::<u16>()
                && !path.is_empty()
            {
                break (port, path.trim().to_string());
            }
            if let Some(status) = self.process.try_wait()? {
                bail!("the browser ended at its start with {status}");
            }
            if start.elapsed() > PATIENCE {
                bail!("the browser opened no port within {} s", PATIENCE.as_secs());
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        let stream = TcpStream::connect(("127.0.0.1", port)).context("the browser's port refused")?;
        stream.set_read_timeout(Some(PATIENCE))?;
        // a large picture is one message
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let address = format!("ws://127.0.0.1:{port}{path}");
        let (socket, _) = tungstenite::client::client_with_config(address, stream, Some(config))
            .map_err(|error| anyhow::anyhow!("the browser's port refused: {error}"))?;
        self.socket = Some(socket);
        Ok(())
    }

    /// Opens an address and waits until the view has its scene.
    fn show(&mut self, address: &str, [width, height]: [u32; 2]) -> Result<()> {
        let target = self.call("Target.createTarget", json!({ "url": "about:blank" }))?;
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = self.call("Target.attachToTarget", attach)?;
        self.session = attached["sessionId"].as_str().map(str::to_string);
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", metrics)?;
        self.call("Page.navigate", json!({ "url": address }))?;
        let start = Instant::now();
        while self.evaluate("Boolean(window.tightfit?.[0]?.ready())")? != Value::Bool(true) {
            if start.elapsed() > PATIENCE {
                bail!("the page showed nothing within {} s; is WebGL available?", PATIENCE.as_secs());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        // the seek and the first drawing follow the scene
        self.settle()
    }

    /// Sends a command and returns the result of its reply; events in between are skipped.
    fn call(&mut self, method: &str, parameters: Value) -> Result<Value> {
        self.commands += 1;
        let mut command = json!({ "id": self.commands, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        let socket = self.socket.as_mut().context("the browser is not connected")?;
        socket.send(Message::text(command.to_string())).context("the browser is gone")?;
        loop {
            let message = socket.read().with_context(|| format!("the browser gave no reply to {method}"))?;
            let Ok(text) = message.to_text() else { continue };
            let Ok(mut reply) = serde_json::from_str::<Value>(text) else { continue };
            if reply["id"] != json!(self.commands) {
                continue;
            }
            if let Some(error) = reply.get("error") {
                bail!("the browser refused {method}: {error}");
            }
            return Ok(reply["result"].take());
        }
    }

    /// Value of a script, or of its promise.
    pub(super) fn evaluate(&mut self, script: &str) -> Result<Value> {
        let parameters = json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let mut reply = self.call("Runtime.evaluate", parameters)?;
        if let Some(exception) = reply.get("exceptionDetails") {
            bail!("the page failed: {}", exception["exception"]["description"]);
        }
        Ok(reply["result"]["value"].take())
    }

    /// Waits until the page has drawn what it knows: plots follow the scene by a few pictures.
    pub(super) fn settle(&mut self) -> Result<()> {
        self.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done(true))), 80))")?;
        Ok(())
    }

    /// The page as a PNG file.
    pub(super) fn picture(&mut self) -> Result<Vec<u8>> {
        let reply =
            self.call("Page.captureScreenshot", json!({ "format": "png", "optimizeForSpeed": true }))?;
        let text = reply["data"].as_str().context("the browser returned no picture")?;
        base64::engine::general_purpose::STANDARD.decode(text).context("the browser's picture is not base64")
    }
}

impl Drop for HeadlessBrowser {
    fn drop(&mut self) {
        self.session = None;
        let _ = self.call("Browser.close", json!({}));
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(3) && matches!(self.process.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
