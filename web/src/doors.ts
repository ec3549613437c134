// Where frames come from: a server, a worker with the simulator inside, or a recording in the document.

import { decode, type Command, type Message, type SceneDescription } from "./protocol";

export interface Listener {
  opened(description: SceneDescription): void;
  message(message: Message): void;
  problem(text: string): void;
  connection(isOpen: boolean): void;
}

export interface Door {
  /** Whether commands are carried out. */
  readonly isLive: boolean;
  send(command: Command): void;
  /** Address of the log of the run so far. */
  logAddress(): string | null;
}

/** The server that sent the page. */
export class SocketDoor implements Door {
  readonly isLive = true;
  private socket: WebSocket | null = null;
  private retry = 500;

  constructor(private listener: Listener) {
    this.connect();
  }

  private connect() {
    const socket = new WebSocket(`ws://${location.host}/socket?token=${encodeURIComponent(token())}`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.retry = 500;
      this.listener.connection(true);
    };
    socket.onmessage = (event) => {
      if (typeof event.data === "string") return this.text(event.data);
      const message = decode(event.data as ArrayBuffer);
      if (message) this.listener.message(message);
    };
    socket.onclose = () => {
      this.listener.connection(false);
      this.socket = null;
      setTimeout(() => this.connect(), (this.retry = Math.min(this.retry * 2, 8000)));
    };
    this.socket = socket;
  }

  private text(data: string) {
    const message = JSON.parse(data);
    if (message.type === "scene") this.listener.opened(message);
    if (message.type === "error") this.listener.problem(message.message);
  }

  send(command: Command) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  logAddress() {
    return `/log.csv?token=${encodeURIComponent(token())}`;
  }
}

function token(): string {
  return new URLSearchParams(location.search).get("token") ?? "";
}

/** A worker that runs the simulator compiled to WebAssembly; it posts the same messages as the server. */
export class WorkerDoor implements Door {
  readonly isLive = true;
  private worker: Worker;

  constructor(listener: Listener, address: string) {
    this.worker = new Worker(address);
    this.worker.onmessage = (event) => {
      if (typeof event.data === "string") {
        const message = JSON.parse(event.data);
        if (message.type === "scene") {
          listener.connection(true);
          listener.opened(message);
        } else if (message.type === "error") listener.problem(message.message);
        return;
      }
      const message = decode(event.data as ArrayBuffer);
      if (message) listener.message(message);
    };
    this.worker.onerror = (event) => listener.problem(`the simulator stopped: ${event.message}`);
  }

  send(command: Command) {
    this.worker.postMessage(JSON.stringify(command));
  }

  logAddress() {
    return null;
  }
}

/** A recording that is part of the document. */
export class RecordingDoor implements Door {
  readonly isLive = false;

  constructor(listener: Listener, description: string, frames: string) {
    // let the page build its view first
    queueMicrotask(() => {
      listener.connection(true);
      listener.opened(JSON.parse(description));
      const bytes = Uint8Array.from(atob(frames.trim()), (letter) => letter.charCodeAt(0));
      const view = new DataView(bytes.buffer);
      for (let at = 0; at + 4 <= bytes.length; ) {
        const length = view.getUint32(at, true);
        const message = decode(bytes.buffer.slice(at + 4, at + 4 + length));
        if (message) listener.message(message);
        at += 4 + length;
      }
    });
  }

  send() {}

  logAddress() {
    return null;
  }
}
