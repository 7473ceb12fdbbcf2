import { DRILL_FILES } from './long-tests.mjs'

// Which test files share a process: to load the product takes longer than most files run, so a process runs a room of them.

const FILES_OF_A_ROOM = 56
const WAITING_FILES_OF_A_ROOM = 10

// Before all others, one after the other: each starts so many processes that it needs the machine for itself.
const ALONE = ['test/crash/crash-points', 'test/races/races', 'test/soak/short-soak', ...DRILL_FILES]

// They sleep for real seconds until a deadline of the product passes, and need next to nothing of the machine: beside those.
const SLEEPING = [
  'test/api/http/closed-connections',
  'test/selling/vending/dispensing/vending-supplier',
  'test/payments/charges/live-charge-slow',
  'test/payments/charges/live-charge-kept',
  'test/payments/payouts/live/live-payout-slow',
  'test/api/idempotency/orphaned-keys',
  'test/api/idempotency/left-keys',
  'test/crash/charge-reposted',
]

// The longest first. They mostly wait, for real seconds or for programs that they start, and run beside the others.
const WAITING = [
  'test/reports/statements/statement-long',
  'test/properties/ledger-properties',
  'test/crash/bulk-resumes',
  'test/web/dashboard/accessible',
  'test/web/dashboard/journeys',
  'test/web/console/browser/accessible',
  'test/web/console/browser/journeys',
  'test/web/console/browser/journeys-of-two',
  'test/web/console/browser/journeys-with-merchants',
  'test/web/browser/accessible-desktop',
  'test/web/browser/accessible',
  'test/web/dashboard/developers/accessible',
  'test/reports/notices/accessible',
  'test/web/dashboard/developers/journeys',
  'test/payments/payouts/live/live-payout-left',
  'test/web/browser/vending-display',
  'test/payments/payouts/payout-freeze',
  'test/payments/payouts/live/live-payout-races',
  'test/web/browser/without-scripts',
  'test/web/browser/payment',
  'test/api/rate-limits/fairness',
  'test/crash/payouts-starved',
  'test/web/browser/hostile',
  'test/properties/vending-properties',
  'test/web/docs/readme-walk',
  'test/reports/statements/statement-covered',
  'src/platform/embedded-postgres',
  'test/program/faults-of-processes',
  'test/program/program',
  'test/program/fleet/shared',
  'test/program/traces',
  'test/program/fleet/restarts',
  'test/program/fleet/stops',
  'test/program/fleet/dying',
  'test/payments/payouts/resolve-account',
  'src/platform/outbound/attempt',
  'test/clients/cli-listen',
  'test/clients/cli-commands',
  'test/clients/cli-bulk',
  'test/clients/cli-doctor',
  'test/clients/cli-login',
  'test/clients/cli-reconcile',
]

/**
 * The rooms that need the machine for themselves, those that sleep, those that mostly wait, and the others, which are busy, with
 * the path of each file. Few files fill as many rooms as run at once. `shortOnly`: of what needs the machine for itself only a few
 * cases run, which mostly wait for their processes. `largest`: how many files a room has at most.
 * `asNamed`: in the order of `names`, not the longest first.
 */
export function sortIntoRooms(names, { atOnce, pathOf, shortOnly, largest = Infinity, asNamed }) {
  const there = (list) =>
    (asNamed ? names.filter((name) => list.includes(name)) : list.filter((name) => names.includes(name))).map(pathOf)
  const others = names.filter((name) => ![...ALONE, ...SLEEPING, ...WAITING].includes(name)).map(pathOf)
  const waiting = there(shortOnly ? [...ALONE, ...WAITING] : WAITING)
  const roomsOf = (paths, most) => Math.ceil(paths.length / Math.min(most, largest))
  return {
    alone: shortOnly ? [] : there(ALONE).map((path) => [path]),
    sleeping: dealt(there(SLEEPING), roomsOf(there(SLEEPING), WAITING_FILES_OF_A_ROOM)),
    waiting: dealt(waiting, roomsOf(waiting, WAITING_FILES_OF_A_ROOM)),
    busy: dealt(others, Math.max(roomsOf(others, FILES_OF_A_ROOM), Math.min(others.length, atOnce))),
  }
}

/** Neighbours are about as long as each other: they are dealt out. */
const dealt = (paths, count) =>
  Array.from({ length: count }, (_, room) => paths.filter((_, nth) => nth % count === room))

/** Files of the lists above that are gone or have another name. */
export const goneAmong = (names) => [...ALONE, ...SLEEPING, ...WAITING].filter((name) => !names.includes(name))
