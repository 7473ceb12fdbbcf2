// Runs beside the pages of the dashboard. It keeps the styles and scripts of this release, whose addresses change with their bytes, and
// never a page: what has figures always comes from the service. It shows messages about payments. The service puts FILES, OFFLINE and ICON
// before this text.
const KEPT = `files ${FILES.join(' ')}`

addEventListener('install', (event) => {
  skipWaiting()
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(FILES)))
})

addEventListener('activate', (event) => {
  const drop = async () => {
    for (const name of await caches.keys()) if (name !== KEPT) await caches.delete(name)
    await clients.claim()
  }
  event.waitUntil(drop())
})

addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname, search } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (FILES.includes(pathname + search)) event.respondWith(findFile(request))
  else if (request.mode === 'navigate') event.respondWith(fetch(request).catch(sayOffline))
})

const findFile = async (request) => (await caches.match(request, { cacheName: KEPT })) ?? fetch(request)

const sayOffline = () =>
  new Response(OFFLINE.page, {
    status: 503,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': OFFLINE.policy,
    },
  })

addEventListener('push', (event) => {
  const { title, body, path } = event.data.json()
  event.waitUntil(registration.showNotification(title, { body, icon: ICON, data: path }))
})

addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(clients.openWindow(event.notification.data))
})
