import type { FastifyInstance } from 'fastify'
import { SCRIPT } from '../../parts/asset.ts'
import { PAGE_ASSETS, readPageText } from '../../parts/page-assets.ts'
import { pagePolicy } from '../../parts/routes/policy.ts'
import { DASHBOARD_BASE } from '../addresses.ts'
import { INSTALL } from '../texts/install.ts'
import { renderOfflinePage } from './offline-page.tsx'

export const MANIFEST_PATH = `${DASHBOARD_BASE}/manifest.webmanifest`
const WORKER_PATH = `${DASHBOARD_BASE}/sw.js`

// Browsers show these before any page is there, so they cannot follow the light or dark of the person: they are those of the icon.
const GROUND = '#ffffff'
const THEME = '#0b6b53'
// As the only file of the dashboard its address stays, because browsers ask there for the next one.
const ASKED_EACH_TIME = 'no-cache'

const icon = (name: 'icon-192.png' | 'icon-512.png' | 'icon-whole-512.png', purpose: 'any' | 'maskable') => ({
  src: PAGE_ASSETS[name].href,
  sizes: name === 'icon-192.png' ? '192x192' : '512x512',
  type: PAGE_ASSETS[name].type,
  purpose,
})

const MANIFEST = JSON.stringify({
  id: DASHBOARD_BASE,
  name: INSTALL.name,
  short_name: INSTALL.name,
  description: INSTALL.description,
  start_url: DASHBOARD_BASE,
  scope: DASHBOARD_BASE,
  display: 'standalone',
  background_color: GROUND,
  theme_color: THEME,
  icons: [icon('icon-192.png', 'any'), icon('icon-512.png', 'any'), icon('icon-whole-512.png', 'maskable')],
})

/** The script beside the pages, with the files that it keeps: every style and script of this release. */
function makeWorker(): string {
  const files = Object.entries(PAGE_ASSETS).flatMap(([name, { href }]) => (/\.(?:css|js)$/.test(name) ? [href] : []))
  const offline = { page: renderOfflinePage(WORKER_PATH), policy: pagePolicy() }
  const facts = { FILES: files, OFFLINE: offline, ICON: PAGE_ASSETS['icon-192.png'].href }
  const lines = Object.entries(facts).map(([name, value]) => `const ${name} = ${JSON.stringify(value)}`)
  return [...lines, readPageText('service-worker.js')].join('\n')
}

/** Serves what makes the dashboard an app of a phone: the manifest, and the script beside its pages. */
export function serveInstallation(server: FastifyInstance): void {
  const worker = makeWorker()
  server.get(MANIFEST_PATH, (_request, reply) =>
    reply
      .headers({
        'Cache-Control': ASKED_EACH_TIME,
        'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      })
      .type('application/manifest+json; charset=utf-8')
      .send(MANIFEST),
  )
  server.get(WORKER_PATH, (_request, reply) =>
    reply
      .headers({
        'Cache-Control': ASKED_EACH_TIME,
        // Its own requests: the pages, styles and scripts of this address.
        'Content-Security-Policy': "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
        // Home has the address without a slash, which lies outside what the place of the script allows by itself.
        'Service-Worker-Allowed': DASHBOARD_BASE,
      })
      .type(SCRIPT)
      .send(worker),
  )
}
