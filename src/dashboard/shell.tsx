import type { ComponentChildren } from 'preact'
import { mayDo } from '../actors/allow.ts'
import { Basics } from '../pages/document.tsx'
import { Icon } from '../pages/icons.tsx'
import { PAGE_ASSETS, scriptHref } from '../pages/page-assets.ts'
import { Note } from '../pages/parts.tsx'
import type { Asked } from '../pages/route.ts'
import type { PageShown } from '../pages/shown.ts'
import { PARTS } from '../pages/texts.ts'
import { shown } from '../pages/wording.ts'
import { BASE, pathIn, TEST } from './addresses.ts'
import { belongsTo, NAVIGATION } from './navigation.ts'
import { FRAME } from './texts/frame.ts'
import type { DashboardVisit } from './visit.ts'

/** The document of a page of the dashboard. Without a visit, for people who are not signed in, it has no navigation. */
export function Shell({
  page,
  asked,
  visit,
}: {
  page: PageShown
  asked: Asked
  visit: DashboardVisit | null
}) {
  return (
    <html lang="en">
      <Head page={page} visit={visit} />
      <body>
        <a class="skip" href="#page">
          {PARTS.skip}
        </a>
        {visit?.mode === 'test' && <TestBand visit={visit} />}
        {visit === null ? (
          <main id="page" class="page guest">
            {page.body}
          </main>
        ) : (
          <SignedIn visit={visit}>{page.body}</SignedIn>
        )}
        <footer class="foot">{PARTS.request(asked.requestId)}</footer>
      </body>
    </html>
  )
}

function Head({ page, visit }: { page: PageShown; visit: DashboardVisit | null }) {
  const name = visit === null ? FRAME.product : shown(visit.merchant.name)
  return (
    <head>
      <Basics />
      <meta name="color-scheme" content="light dark" />
      <meta name="format-detection" content="telephone=no" />
      <meta name="robots" content="noindex" />
      <title>{`${page.title} – ${name}`}</title>
      <link rel="icon" type="image/svg+xml" href={PAGE_ASSETS['icon.svg'].href} />
      <link rel="stylesheet" href={PAGE_ASSETS['pages.css'].href} />
      {scriptsOf(page, visit).map((script) => (
        <script src={scriptHref(script)} defer />
      ))}
      {page.refreshSeconds !== undefined && (
        <noscript>
          <meta http-equiv="refresh" content={`${page.refreshSeconds}`} />
        </noscript>
      )}
    </head>
  )
}

/** Whoever has a passkey confirms acts with it, on whatever page. */
const scriptsOf = (page: PageShown, visit: DashboardVisit | null) => [
  ...new Set(['pages.js', ...(visit?.signedIn.hasPasskey ? ['passkeys.js'] : []), ...(page.scripts ?? [])]),
]

const TestBand = ({ visit }: { visit: DashboardVisit }) => (
  <aside class="band" aria-label={FRAME.mode}>
    {FRAME.test} <a href={twin(visit)}>{FRAME.toLive}</a>
  </aside>
)

/** The same page in the other mode; of an object, which exists in one mode only, the list that it is in. */
function twin({ here, mode, params }: DashboardVisit): string {
  const path = pathIn(here)
  const listed = Object.keys(params).length === 0 ? path : `/${path.split('/')[1] ?? ''}`
  return `${BASE}${mode === 'test' ? '' : TEST}${listed === '/' ? '' : listed}`
}

function SignedIn({ visit, children }: { visit: DashboardVisit; children: ComponentChildren }) {
  const { merchant, flash, signedIn } = visit
  return (
    <>
      <header class="bar">
        <a class="name" href={visit.to('/')}>
          {shown(merchant.name)}
        </a>
        {visit.mode === 'live' && <a href={twin(visit)}>{FRAME.toTest}</a>}
        <search>
          <form class="search" action={visit.to('/search')}>
            <label class="ear" for="search">
              {FRAME.search}
            </label>
            <input id="search" name="q" type="search" placeholder={FRAME.searchHint} autocomplete="off" />
          </form>
        </search>
        <form method="post" action={`${BASE}/sign-out`}>
          <input type="hidden" name="csrf" value={signedIn.csrf} />
          <button type="submit" class="button plain">
            {FRAME.signOut}
          </button>
        </form>
      </header>
      <div class="frame">
        <Side visit={visit} />
        <main id="page" class="page" tabIndex={-1}>
          {flash !== null && (
            <p class={`flash ${flash.kind}`} role="status">
              <Icon name={flash.kind === 'done' ? 'check' : 'clock'} />
              {shown(flash.says)}
            </p>
          )}
          {!merchant.active && <Note tone="warn">{FRAME.inactive}</Note>}
          {!signedIn.person.confirmed && !signedIn.till && (
            <Note>
              {FRAME.unconfirmed} <a href={visit.to('/settings/security')}>{FRAME.resend}</a>
            </Note>
          )}
          {children}
        </main>
      </div>
    </>
  )
}

/** The navigation: open beside the page where there is room, behind one button on a phone. Both without script. */
function Side({ visit }: { visit: DashboardVisit }) {
  const path = pathIn(visit.here)
  return (
    <aside class="side" aria-label={FRAME.menu}>
      <input type="checkbox" id="menu" class="ear" />
      <label for="menu" class="menu">
        <Icon name="menu" /> {FRAME.menu}
      </label>
      <nav aria-label={FRAME.navigation}>
        {NAVIGATION.map(({ name, entries }) => (
          <>
            {name !== null && <h2>{name}</h2>}
            {entries
              .filter(({ see }) => mayDo(visit.caller, see ?? 'read'))
              .map((entry) => (
                <a
                  href={visit.to(entry.path)}
                  aria-current={belongsTo(path, entry.path) ? 'page' : undefined}
                >
                  <Icon name={entry.icon} />
                  {entry.name}
                </a>
              ))}
          </>
        ))}
      </nav>
    </aside>
  )
}
