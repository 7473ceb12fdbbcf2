import { mayDo } from '../actors/allow.ts'
import { Bar, Frame, Guest, Place } from '../pages/frame.tsx'
import { Note, timeText } from '../pages/parts.tsx'
import type { Asked } from '../pages/route.ts'
import type { PageShown } from '../pages/shown.ts'
import { shown } from '../pages/wording.ts'
import { addressIn, BASE, pathIn } from './addresses.ts'
import { NAVIGATION } from './navigation.ts'
import { FRAME } from './texts/frame.ts'
import type { DashboardVisit } from './visit.ts'

type ShellProps = { page: PageShown; asked: Asked; visit: DashboardVisit | null }

/** Renders the document around a page. Without a visit, for people who are not signed in, it has no navigation. */
export function Shell({ page, asked: { requestId, here }, visit }: ShellProps) {
  if (visit === null)
    return (
      <Frame {...{ page, requestId, here }} name={FRAME.product}>
        <Guest>{page.body}</Guest>
      </Frame>
    )
  const { merchant, signedIn, mode } = visit
  const name = shown(merchant.name)
  return (
    <Frame
      {...{ page, name, requestId, here }}
      who={signedIn.person.publicId}
      band={
        <>
          {visit.look !== null && <LookBand name={name} view={visit.look} />}
          {mode === 'test' && <TestBand visit={visit} />}
        </>
      }
      // A person with a passkey confirms acts with it, and every page may have such an act.
      scripts={signedIn.hasPasskey ? ['passkeys.js'] : []}
    >
      <Bar
        visit={visit}
        name={name}
        signOut={visit.look === null ? `${BASE}/sign-out` : null}
        searchHint={FRAME.searchHint}
      >
        {mode === 'live' && <a href={twin(visit)}>{FRAME.toTest}</a>}
      </Bar>
      <Place visit={visit} path={pathIn(visit.here, visit.base)} navigation={NAVIGATION}>
        {!merchant.active && (
          <Note tone="warn">
            {merchant.account === 'open' ? FRAME.inactive : FRAME[merchant.account]}{' '}
            {merchant.account !== 'open' && mayDo(visit.caller, 'merchant.close') && (
              <a href={visit.to('/settings/close')}>{FRAME.more}</a>
            )}
          </Note>
        )}
        {visit.look === null && !signedIn.person.confirmed && !signedIn.till && (
          <Note>
            {FRAME.unconfirmed} <a href={visit.to('/settings/security')}>{FRAME.resend}</a>
          </Note>
        )}
        {page.body}
      </Place>
    </Frame>
  )
}

const LookBand = ({ name, view }: { name: string; view: NonNullable<DashboardVisit['look']> }) => (
  <aside class="band" aria-label={FRAME.look.label}>
    {FRAME.look.says(name, timeText(view.until))} <a href={view.out}>{FRAME.look.out}</a>
  </aside>
)

const TestBand = ({ visit }: { visit: DashboardVisit }) => (
  <aside class="band" aria-label={FRAME.mode}>
    {FRAME.test} <a href={twin(visit)}>{FRAME.toLive}</a>
  </aside>
)

/** The address of this page in the other mode. An object exists in one mode only, so its page leads to its list there. */
function twin({ here, mode, params, base }: DashboardVisit): string {
  const path = pathIn(here, base)
  const shared = Object.keys(params).length === 0 ? path : `/${path.split('/')[1] ?? ''}`
  return addressIn(mode === 'test' ? 'live' : 'test', shared, base)
}
