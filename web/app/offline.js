// The service worker of the site: keeps one whole version of it, so that it works without a network.
// build.mjs puts the version and the files in.
const version = "foliot-VERSION";
const files = FILES;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(version).then((cache) => cache.addAll(files)));
});

// A version is used once no page uses the one before: nobody's page changes under them.
addEventListener("activate", (event) => {
  const drop = async () => {
    for (const name of await caches.keys())
      if (name.startsWith("foliot-") && name !== version) await caches.delete(name);
    await clients.claim();
  };
  event.waitUntil(drop());
});

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const answer = async () =>
    (await caches.match(event.request, { cacheName: version, ignoreSearch: true })) ??
    fetch(event.request);
  event.respondWith(answer());
});
