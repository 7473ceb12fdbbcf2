import type { ComponentChildren } from 'preact'
import { findPayoutPause } from '../../../payments/payouts/find-payout-pause.ts'
import { Note, Time } from '../../parts/parts.tsx'
import { WALLET } from '../texts/wallet.ts'
import type { DashboardVisit } from '../visit.ts'

const PAGES = [
  ['/wallet', WALLET.pages.ledger],
  ['/wallet/settlements', WALLET.pages.settlements],
  ['/wallet/statements', WALLET.pages.statements],
  ['/wallet/withdrawals', WALLET.pages.withdrawals],
  ['/wallet/top-ups', WALLET.pages.topUps],
] as const

/** The tabs of the wallet. */
export const WalletTabs = ({ visit, at }: { visit: DashboardVisit; at: string }) => (
  <nav class="tabs" aria-label={WALLET.title}>
    {PAGES.map(([path, name]) => (
      <a href={visit.to(path)} aria-current={path === at ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
)

/** Says what stops payouts now, since when and why; null while they run. */
export async function renderPausedNote({ app, caller }: DashboardVisit): Promise<ComponentChildren> {
  const paused = await findPayoutPause(app, caller)
  if (paused === null) return null
  return (
    <Note tone="warn">
      <strong>{WALLET.paused[paused.by]}</strong>
      <p>{paused.says}</p>
      {paused.since !== null && (
        <p>
          {WALLET.paused.since} <Time at={paused.since} />
        </p>
      )}
      {paused.exception !== null && <p>{WALLET.paused.kind(paused.exception.kind)}</p>}
      <p>{WALLET.paused.what}</p>
    </Note>
  )
}
