// Finds the views of the document and opens their doors.

import "./style.css";
import { RecordingDoor, SocketDoor, WorkerDoor } from "./doors";
import { Viewer } from "./viewer";

function start() {
  for (const root of document.querySelectorAll<HTMLElement>("[data-door]")) {
    const door = root.dataset.door;
    if (document.body.classList.contains("tf-page")) root.classList.add("tf-full");
    if (door === "recording") startRecordings(root);
    else {
      const viewer = new Viewer(root, (listener) =>
        door === "worker" ? new WorkerDoor(listener, root.dataset.worker ?? "worker.js") : new SocketDoor(listener),
      );
      if (location.hash.length > 1) whenOpen(viewer);
    }
  }
}

/** The commands of a link are sent when the first scene has come. */
function whenOpen(viewer: Viewer) {
  const opened = viewer.opened.bind(viewer);
  viewer.opened = (description) => {
    viewer.opened = opened;
    opened(description);
    viewer.openLink(location.hash);
  };
}

/** One view per recording, side by side; they scrub together. */
function startRecordings(root: HTMLElement) {
  const texts = (name: string) => [...root.querySelectorAll(`script.${name}`)].map((one) => one.textContent ?? "");
  const [descriptions, frames] = [texts("tf-description"), texts("tf-frames")];
  root.classList.add("tf-recordings");
  root.style.setProperty("--tf-count", String(descriptions.length));
  const viewers: Viewer[] = [];
  descriptions.forEach((description, index) => {
    const own = document.createElement("div");
    own.className = "tf-root";
    own.classList.toggle("tf-full", root.classList.contains("tf-full") && descriptions.length === 1);
    own.classList.toggle("tf-narrow", descriptions.length > 1);
    root.append(own);
    whenSeen(own, () => {
      const viewer = new Viewer(own, (listener) => new RecordingDoor(listener, description, frames[index]));
      if (root.classList.contains("tf-full") && location.hash.length > 1) whenOpen(viewer);
      viewer.partners = viewers;
      viewers.push(viewer);
    });
  });
}

/** A report may hold many views; each takes a graphics context, so it is made when the reader comes near. */
function whenSeen(element: HTMLElement, make: () => void) {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      make();
    },
    { rootMargin: "200px" },
  );
  observer.observe(element);
}

start();
