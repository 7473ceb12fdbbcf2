import type { Action } from '../actors/actions.ts'
import type { IconName } from '../pages/icons.tsx'
import { FRAME } from './texts/frame.ts'

type Entry = { path: string; name: string; icon: IconName; see?: Action }
export type Group = { name: string | null; entries: readonly Entry[] }

const { pages, groups } = FRAME

/** The pages that the navigation leads to. Those of a role that may not see them are left out. */
export const NAVIGATION: readonly Group[] = [
  {
    name: null,
    entries: [
      { path: '/', name: pages.home, icon: 'home' },
      { path: '/counter', name: pages.counter, icon: 'clock' },
    ],
  },
  {
    name: groups.money,
    entries: [
      { path: '/charges', name: pages.charges, icon: 'in' },
      { path: '/payouts', name: pages.payouts, icon: 'out', see: 'payouts.read' },
      { path: '/bulk', name: pages.bulk, icon: 'list', see: 'payouts.read' },
      { path: '/payroll', name: pages.payroll, icon: 'calendar', see: 'payouts.read' },
      { path: '/wallet', name: pages.wallet, icon: 'wallet', see: 'payouts.read' },
      { path: '/subaccounts', name: pages.subaccounts, icon: 'people' },
    ],
  },
  {
    name: groups.selling,
    entries: [
      { path: '/links', name: pages.links, icon: 'link' },
      { path: '/storefront', name: pages.storefront, icon: 'shop' },
      { path: '/gift-cards', name: pages.giftCards, icon: 'gift' },
      { path: '/orders', name: pages.orders, icon: 'list' },
      { path: '/vending', name: pages.vending, icon: 'machine' },
      { path: '/disputes', name: pages.disputes, icon: 'warning' },
    ],
  },
  {
    name: groups.business,
    entries: [
      { path: '/developers', name: pages.developers, icon: 'code' },
      { path: '/verification', name: pages.verification, icon: 'check' },
      { path: '/go-live', name: pages.goLive, icon: 'flag' },
      { path: '/settings', name: pages.settings, icon: 'gear' },
    ],
  },
]

/** Whether a path of the dashboard belongs to an entry: `/charges/txn_...` to `/charges`. */
export const belongsTo = (path: string, entry: string): boolean =>
  entry === '/' ? path === '/' : path === entry || path.startsWith(`${entry}/`)
