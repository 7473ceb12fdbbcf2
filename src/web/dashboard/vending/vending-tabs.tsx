import { mayDo } from '../../../api/access/allow.ts'
import { Note } from '../../parts/parts.tsx'
import { VENDING } from '../texts/vending.ts'
import type { DashboardVisit } from '../visit.ts'

const TABS = [
  ['/vending', VENDING.tabs.machines, 'shop.read'],
  ['/orders', VENDING.tabs.orders, 'read'],
  ['/vending/settings', VENDING.tabs.settings, 'shop.read'],
] as const

/** The tabs of vending, and a note while vending is off. */
export const VendingTabs = ({ visit, at }: { visit: DashboardVisit; at: (typeof TABS)[number][0] }) => (
  <>
    <nav class="tabs" aria-label={VENDING.title}>
      {TABS.filter(([, , see]) => mayDo(visit.caller, see)).map(([path, name]) => (
        <a href={visit.to(path)} aria-current={path === at ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
    {!visit.merchant.vendingEnabled && <Note tone="warn">{VENDING.off}</Note>}
  </>
)
