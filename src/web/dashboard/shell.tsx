import { mayDo } from '../../api/access/allow.ts'
import { oneLine } from '../../platform/text/text.ts'
import { Frame, GuestPage, PageLayout, TopBar } from '../parts/frame.tsx'
import { formatPageTime, Note } from '../parts/parts.tsx'
import type { PageRequest } from '../parts/routes/route.ts'
import type { PageReply } from '../parts/routes/surface-reply.ts'
import { addressIn, DASHBOARD_BASE, parsePagePath } from './addresses.ts'
import { HelpFoot } from './help/help-foot.tsx'
import { MANIFEST_PATH } from './install/install-routes.ts'
import { DASHBOARD_DOCK, DASHBOARD_NAVIGATION } from './navigation.ts'
import { FRAME } from './texts/frame.ts'
import { PEOPLE } from './texts/people.ts'
import type { DashboardVisit } from './visit.ts'

type DashboardShellProps = { page: PageReply; asked: PageRequest; visit: DashboardVisit | null }

/** Renders the document around a page. Without a visit, for people who are not signed in, it has no navigation. */
export function DashboardShell({ page, asked, visit }: DashboardShellProps) {
  const { requestId, here } = asked
  if (visit === null)
    return (
      <Frame
        {...{ page, requestId, here }}
        name={FRAME.product}
        manifest={MANIFEST_PATH}
        help={<HelpFoot asked={asked} visit={null} />}
      >
        <GuestPage>{page.body}</GuestPage>
      </Frame>
    )
  const { merchant, signedIn, mode } = visit
  const name = oneLine(merchant.name)
  return (
    <Frame
      {...{ page, name, requestId, here }}
      who={signedIn.person.publicId}
      till={signedIn.till}
      help={<HelpFoot asked={asked} visit={visit} />}
      // What staff look at stays in the browser's window.
      {...(visit.staffView === null ? { manifest: MANIFEST_PATH } : {})}
      band={
        <>
          {visit.staffView !== null && <StaffViewBand name={name} view={visit.staffView} />}
          {mode === 'test' && <TestBand visit={visit} />}
        </>
      }
      // A person with a passkey confirms acts with it, and every page may have such an act.
      scripts={signedIn.hasPasskey ? ['passkeys.js'] : []}
    >
      <TopBar
        visit={visit}
        name={name}
        signOut={visit.staffView === null ? `${DASHBOARD_BASE}/sign-out` : null}
        searchHint={FRAME.searchHint}
        {...(visit.staffView === null ? { account: <Account visit={visit} /> } : {})}
      >
        {mode === 'live' && <a href={addressInOtherMode(visit)}>{FRAME.toTest}</a>}
      </TopBar>
      <PageLayout
        visit={visit}
        path={parsePagePath(visit.here, visit.base)}
        navigation={DASHBOARD_NAVIGATION}
        dock={DASHBOARD_DOCK}
      >
        <StandingNotes visit={visit} />
        {page.body}
      </PageLayout>
    </Frame>
  )
}

/** What is true of the business, or of the person, on every page. */
const StandingNotes = ({ visit }: { visit: DashboardVisit }) => (
  <>
    {!visit.merchant.active && (
      <Note tone="warn">
        {visit.merchant.account === 'open' ? FRAME.inactive : FRAME[visit.merchant.account]}{' '}
        {visit.merchant.account !== 'open' && mayDo(visit.caller, 'merchant.close') && (
          <a href={visit.to('/settings/close')}>{FRAME.more}</a>
        )}
      </Note>
    )}
    {visit.staffView === null && !visit.signedIn.person.confirmed && !visit.signedIn.till && (
      <Note>
        {FRAME.unconfirmed} <a href={visit.to('/settings/security')}>{FRAME.resend}</a>
      </Note>
    )}
  </>
)

/** Who is signed in, in which part, and the way to the person's own pages. */
const Account = ({ visit }: { visit: DashboardVisit }) => (
  <>
    <p>
      <strong>{oneLine(visit.signedIn.person.name)}</strong>
      <br />
      <span class="quiet">{PEOPLE.roles.names[visit.signedIn.at.role]}</span>
    </p>
    {!visit.signedIn.till && <a href={visit.to('/settings/security')}>{FRAME.account.own}</a>}
  </>
)

const StaffViewBand = ({ name, view }: { name: string; view: NonNullable<DashboardVisit['staffView']> }) => (
  <aside class="band" aria-label={FRAME.staffView.label}>
    {FRAME.staffView.says(name, formatPageTime(view.until))} <a href={view.backTo}>{FRAME.staffView.out}</a>
  </aside>
)

const TestBand = ({ visit }: { visit: DashboardVisit }) => (
  <aside class="band" aria-label={FRAME.mode}>
    {FRAME.test} <a href={addressInOtherMode(visit)}>{FRAME.toLive}</a>
  </aside>
)

/** The address of this page in the other mode. An object exists in one mode only, so its page leads to its list there. */
function addressInOtherMode({ here, mode, params, base }: DashboardVisit): string {
  const path = parsePagePath(here, base)
  const shared = Object.keys(params).length === 0 ? path : `/${path.split('/')[1] ?? ''}`
  return addressIn(mode === 'test' ? 'live' : 'test', shared, base)
}
