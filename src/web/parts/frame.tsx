import type { ComponentChildren } from 'preact'
import { mayDo } from '../../api/access/allow.ts'
import { oneLine } from '../../platform/text/text.ts'
import { BasicMeta } from './document.tsx'
import { Icon } from './icons.tsx'
import { belongsTo, type NavigationGroup } from './navigation.ts'
import { PAGE_ASSETS, scriptHref } from './page-assets.ts'
import type { Visit } from './routes/route.ts'
import type { PageReply } from './routes/surface-reply.ts'
import { PARTS } from './texts.ts'

type FrameProps = {
  page: PageReply
  /** The merchant or surface, for the title of the window. */
  name: string
  requestId: string
  /** The address of the page, for a browser without scripts that loads it again. */
  here: string
  /** The owner of the session: the script gives a form's typed values back only to the same person. */
  who?: string
  /** Shown above everything else. */
  band?: ComponentChildren
  /** Scripts that pages of this visit need besides those of the page. */
  scripts?: readonly string[]
  children: ComponentChildren
}

/** The document of a page of a surface. */
export const Frame = ({ page, name, requestId, here, who, band, scripts = [], children }: FrameProps) => (
  <html lang="en">
    <head>
      <BasicMeta />
      <meta name="color-scheme" content="light dark" />
      <meta name="format-detection" content="telephone=no" />
      <meta name="robots" content="noindex" />
      <title>{`${page.title} – ${name}`}</title>
      <link rel="icon" type="image/svg+xml" href={PAGE_ASSETS['icon.svg'].href} />
      <link rel="stylesheet" href={PAGE_ASSETS['pages.css'].href} />
      {[...new Set(['pages.js', ...scripts, ...(page.scripts ?? [])])].map((script) => (
        <script src={scriptHref(script)} defer />
      ))}
      {page.refreshSeconds !== undefined && (
        <noscript>
          {/* Without the address, a browser whose address ends in the id of a form would only scroll there instead of reloading. */}
          <meta http-equiv="refresh" content={`${page.refreshSeconds};url=${here}`} />
        </noscript>
      )}
    </head>
    <body data-who={who}>
      <a class="skip" href="#page">
        {PARTS.skip}
      </a>
      {band}
      {children}
      <footer class="foot">{PARTS.request(requestId)}</footer>
    </body>
  </html>
)

const NO_COUNTS: ReadonlyMap<string, string> = new Map()

/** The number of things that wait behind the entry beside it. */
export const WaitingCount = ({ of }: { of: string | undefined }) =>
  of === undefined ? null : (
    <span class="count">
      <span class="ear">, </span>
      {of}
      <span class="ear"> {PARTS.frame.waits}</span>
    </span>
  )

/** The content of a page for people who are not signed in. */
export const GuestPage = ({ children }: { children: ComponentChildren }) => (
  <main id="page" class="page guest">
    {children}
  </main>
)

type TopBarProps = {
  visit: Visit
  /** The merchant or surface; links to its first page. */
  name: string
  /** Null if there is no sign-out on this page. */
  signOut: string | null
  searchHint: string
  children?: ComponentChildren
}

/** The bar at the top: the name, the search box, the sign-out. */
export const TopBar = ({ visit, name, signOut, searchHint, children }: TopBarProps) => (
  <header class="bar">
    <a class="name" href={visit.to('/')}>
      {name}
    </a>
    {children}
    <search>
      <form class="search" action={visit.to('/search')}>
        <label class="ear" for="search">
          {PARTS.frame.search}
        </label>
        <input id="search" name="q" type="search" placeholder={searchHint} autocomplete="off" />
      </form>
    </search>
    {signOut !== null && (
      <form method="post" action={signOut}>
        <input type="hidden" name="csrf" value={visit.signedIn.csrf} />
        <button type="submit" class="button plain">
          {PARTS.frame.signOut}
        </button>
      </form>
    )}
  </header>
)

type PageLayoutProps = {
  visit: Visit
  /** The path of the page on its surface. */
  path: string
  navigation: readonly NavigationGroup[]
  /** The number of things that wait behind an entry, by its path. */
  counts?: ReadonlyMap<string, string>
  children: ComponentChildren
}

/** The navigation and the content of a page, with the sentence that a form has left for it. */
export const PageLayout = ({ visit, path, navigation, counts = NO_COUNTS, children }: PageLayoutProps) => (
  <div class="frame">
    <SideNavigation {...{ visit, path, navigation, counts }} />
    <main id="page" class="page" tabIndex={-1}>
      {visit.flash !== null && (
        <p class={`flash ${visit.flash.kind}`} role="status">
          <Icon name={visit.flash.kind === 'done' ? 'check' : 'clock'} />
          {oneLine(visit.flash.says)}
        </p>
      )}
      {children}
    </main>
  </div>
)

/** The navigation: beside the page if there is room, behind one button on a phone. Both work without scripts. */
const SideNavigation = ({ visit, path, navigation, counts = NO_COUNTS }: Omit<PageLayoutProps, 'children'>) => (
  <aside class="side" aria-label={PARTS.frame.menu}>
    <input type="checkbox" id="menu" class="ear" />
    <label for="menu" class="menu">
      <Icon name="menu" /> {PARTS.frame.menu}
      {counts.size > 0 && <WaitingCount of={PARTS.frame.places(counts.size)} />}
    </label>
    <nav aria-label={PARTS.frame.navigation}>
      {navigation.map(({ name, entries }) => (
        <>
          {name !== null && <h2>{name}</h2>}
          {entries
            .filter(({ see }) => mayDo(visit.caller, see))
            .map((entry) => (
              <a
                href={visit.to((counts.has(entry.path) && entry.workAt) || entry.path)}
                aria-current={belongsTo(path, entry.path) ? 'page' : undefined}
              >
                <Icon name={entry.icon} />
                {entry.name}
                <WaitingCount of={counts.get(entry.path)} />
              </a>
            ))}
        </>
      ))}
    </nav>
  </aside>
)
