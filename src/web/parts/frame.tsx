import type { ComponentChildren } from 'preact'
import { mayDo } from '../../api/access/allow.ts'
import { oneLine } from '../../platform/text/text.ts'
import { Head, type HeadProps } from './head.tsx'
import { Icon } from './icons.tsx'
import { belongsTo, type NavigationGroup } from './navigation.ts'
import type { Visit } from './routes/route.ts'
import { PARTS } from './texts.ts'

type FrameProps = HeadProps & {
  requestId: string
  /** The owner of the session: the script gives a form's typed values back only to the same person. */
  who?: string
  /** Shown above everything else. */
  band?: ComponentChildren
  /** The device is a till: its pages are in large letters. */
  till?: boolean
  /** Shown at the foot beside the reference of the page. */
  help?: ComponentChildren
  children: ComponentChildren
}

/** The document of a page of a surface. */
export const Frame = ({
  page,
  name,
  requestId,
  here,
  who,
  band,
  till = false,
  manifest,
  scripts,
  help,
  children,
}: FrameProps) => (
  <html lang="en">
    <Head {...{ page, name, here, manifest, scripts }} />
    <body data-who={who} class={till ? 'till' : undefined}>
      <a class="skip" href="#page">
        {PARTS.skip}
      </a>
      {band}
      {children}
      <footer class="foot">
        {help}
        {PARTS.request(requestId)}
      </footer>
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
  /** Who is signed in, in the menu that the sign-out stands in. */
  account?: ComponentChildren
  children?: ComponentChildren
}

/** The bar at the top: the name, the search box, the sign-out. */
export const TopBar = ({ visit, name, signOut, searchHint, account, children }: TopBarProps) => (
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
    {account !== undefined && (
      <a class="find" href={visit.to('/search')}>
        <Icon name="search" />
        <span class="ear">{PARTS.frame.search}</span>
      </a>
    )}
    {account === undefined ? (
      <SignOut visit={visit} to={signOut} />
    ) : (
      <details class="account">
        <summary>
          <Icon name="person" />
          <span class="ear">{PARTS.frame.account}</span>
        </summary>
        <div>
          {account}
          <SignOut visit={visit} to={signOut} />
        </div>
      </details>
    )}
  </header>
)

const SignOut = ({ visit, to }: { visit: Visit; to: string | null }) =>
  to === null ? null : (
    <form method="post" action={to}>
      <input type="hidden" name="csrf" value={visit.signedIn.csrf} />
      <button type="submit" class="button plain">
        {PARTS.frame.signOut}
      </button>
    </form>
  )

type PageLayoutProps = {
  visit: Visit
  /** The path of the page on its surface. */
  path: string
  navigation: readonly NavigationGroup[]
  /** The number of things that wait behind an entry, by its path. */
  counts?: ReadonlyMap<string, string>
  /** The paths of the entries that stand at the bottom of a phone's screen, beside the way to all others. */
  dock?: readonly string[]
  children: ComponentChildren
}

/** The navigation and the content of a page, with the sentence that a form has left for it. */
export const PageLayout = ({ visit, path, navigation, counts = NO_COUNTS, dock, children }: PageLayoutProps) => (
  <div class={dock === undefined ? 'frame' : 'frame docked'}>
    <SideNavigation {...{ visit, path, navigation, counts }} />
    <main id="page" class="page" tabIndex={-1}>
      {visit.flash !== null && (
        <p class={`flash ${visit.flash.kind}`} role="status">
          <Icon name={visit.flash.kind === 'done' ? 'check' : 'clock'} />
          {oneLine(visit.flash.says)}
        </p>
      )}
      <WayBack {...{ visit, path, navigation }} />
      {children}
    </main>
    {dock !== undefined && <Dock {...{ visit, path, navigation, dock }} />}
  </div>
)

const listEntries = ({ visit, navigation }: Pick<PageLayoutProps, 'visit' | 'navigation'>) =>
  navigation.flatMap(({ entries }) => entries).filter(({ see }) => mayDo(visit.caller, see))

/** The way from the page of an object, or of a form, to its list. A page that has tabs shows where it belongs. */
function WayBack({ visit, path, navigation }: Pick<PageLayoutProps, 'visit' | 'path' | 'navigation'>) {
  const depth = path.split('/').length - 1
  const entry = listEntries({ visit, navigation }).find(
    (one) => one.path !== path && one.path !== '/' && belongsTo(path, one.path) && (one.tabs !== true || depth > 2),
  )
  return entry === undefined ? null : (
    <a class="way-back" href={visit.to(entry.path)}>
      <Icon name="back" />
      {entry.name}
    </a>
  )
}

type DockProps = Pick<PageLayoutProps, 'visit' | 'path' | 'navigation'> & { dock: readonly string[] }

/** The bar at the bottom of a phone's screen. Its last entry opens the navigation, without scripts too. */
const Dock = ({ visit, path, navigation, dock }: DockProps) => (
  <nav class="dock" aria-label={PARTS.frame.dock}>
    {listEntries({ visit, navigation })
      .filter((entry) => dock.includes(entry.path))
      .map((entry) => (
        <a href={visit.to(entry.path)} aria-current={belongsTo(path, entry.path) ? 'page' : undefined}>
          <Icon name={entry.icon} />
          {entry.short ?? entry.name}
        </a>
      ))}
    <label for="menu">
      <Icon name="menu" />
      {PARTS.frame.more}
    </label>
  </nav>
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
