import type { NavigationGroup } from '../parts/navigation.ts'
import { CONSOLE_FRAME_TEXTS } from './texts/frame.ts'

const { pages } = CONSOLE_FRAME_TEXTS

/** The pages that the navigation leads to. An entry is left out for a role that may not see its page. */
export const CONSOLE_NAVIGATION: readonly NavigationGroup[] = [
  { name: null, entries: [{ path: '/', name: pages.home, icon: 'home', see: 'console.read' }] },
  {
    name: CONSOLE_FRAME_TEXTS.groups.money,
    entries: [
      { path: '/payments', name: pages.payments, icon: 'search', see: 'console.read' },
      { path: '/parked', name: pages.parked, icon: 'clock', see: 'console.read' },
      {
        ...{ path: '/reconciliation', name: pages.reconciliation, icon: 'wallet', see: 'console.read' },
        workAt: '/reconciliation/exceptions',
      },
      { path: '/approvals', name: pages.approvals, icon: 'check', see: 'console.read' },
      { path: '/freeze', name: pages.freeze, icon: 'cross', see: 'console.read' },
      { path: '/ledger', name: pages.ledger, icon: 'list', see: 'console.read' },
      { path: '/rails', name: pages.rails, icon: 'link', see: 'console.read' },
      { path: '/installations', name: pages.installations, icon: 'undo', see: 'console.read' },
    ],
  },
  {
    name: CONSOLE_FRAME_TEXTS.groups.merchants,
    entries: [
      { path: '/merchants', name: pages.merchants, icon: 'shop', see: 'console.read' },
      { path: '/cases', name: pages.cases, icon: 'help', see: 'console.read' },
      { path: '/verification', name: pages.verification, icon: 'check', see: 'console.read' },
      { path: '/withdrawals', name: pages.withdrawals, icon: 'out', see: 'console.read' },
      { path: '/standing-orders', name: pages.standingOrders, icon: 'clock', see: 'console.read' },
      { path: '/numbers', name: pages.numbers, icon: 'wallet', see: 'console.read' },
      { path: '/top-ups', name: pages.topUps, icon: 'in', see: 'console.read' },
    ],
  },
  {
    name: CONSOLE_FRAME_TEXTS.groups.service,
    entries: [
      { path: '/alerts', name: pages.alerts, icon: 'warning', see: 'console.read' },
      { path: '/audit', name: pages.audit, icon: 'list', see: 'console.read' },
      { path: '/jobs', name: pages.jobs, icon: 'machine', see: 'console.read' },
    ],
  },
  {
    name: CONSOLE_FRAME_TEXTS.groups.people,
    entries: [
      { path: '/operators', name: pages.operators, icon: 'people', see: 'console.read' },
      { path: '/security', name: pages.security, icon: 'gear', see: 'account.step-up' },
    ],
  },
]
