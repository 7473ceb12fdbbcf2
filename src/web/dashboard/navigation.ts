import type { NavigationGroup } from '../parts/navigation.ts'
import { FRAME } from './texts/frame.ts'

const { pages, groups } = FRAME

/** The entries of the navigation. When it is drawn, entries that the reader's role may not see are left out. */
export const DASHBOARD_NAVIGATION: readonly NavigationGroup[] = [
  {
    name: null,
    entries: [
      { path: '/', name: pages.home, icon: 'home', see: 'shop.read' },
      { path: '/counter', name: pages.counter, icon: 'clock', see: 'read' },
    ],
  },
  {
    name: groups.money,
    entries: [
      { path: '/charges', name: pages.charges, short: pages.payments, icon: 'in', see: 'read' },
      { path: '/customers', name: pages.customers, icon: 'person', see: 'read' },
      { path: '/payouts', name: pages.payouts, icon: 'out', see: 'payouts.read' },
      { path: '/bulk', name: pages.bulk, icon: 'list', see: 'payouts.read' },
      { path: '/payroll', name: pages.payroll, icon: 'calendar', see: 'payouts.read' },
      { path: '/wallet', name: pages.wallet, icon: 'wallet', see: 'payouts.read', tabs: true },
      { path: '/subaccounts', name: pages.subaccounts, icon: 'people', see: 'shop.read' },
    ],
  },
  {
    name: groups.selling,
    entries: [
      { path: '/links', name: pages.links, icon: 'link', see: 'read' },
      { path: '/invoices', name: pages.invoices, icon: 'list', see: 'read' },
      { path: '/storefront', name: pages.storefront, icon: 'shop', see: 'shop.read' },
      { path: '/gift-cards', name: pages.giftCards, icon: 'gift', see: 'shop.read' },
      { path: '/orders', name: pages.orders, icon: 'list', see: 'read' },
      { path: '/vending', name: pages.vending, icon: 'machine', see: 'shop.read', tabs: true },
      { path: '/disputes', name: pages.disputes, icon: 'warning', see: 'read' },
    ],
  },
  {
    name: groups.business,
    entries: [
      { path: '/developers', name: pages.developers, icon: 'code', see: 'shop.read', tabs: true },
      { path: '/verification', name: pages.verification, icon: 'check', see: 'shop.read' },
      { path: '/go-live', name: pages.goLive, icon: 'flag', see: 'shop.read' },
      { path: '/settings', name: pages.settings, icon: 'gear', see: 'shop.read' },
      { path: '/help', name: pages.help, icon: 'help', see: 'read' },
    ],
  },
]

/** What stands at the bottom of a phone's screen. */
export const DASHBOARD_DOCK = ['/', '/counter', '/charges']
