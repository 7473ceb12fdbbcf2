// Which test files share a process: to load the product takes longer than most files run, so a process runs a room of them.

const FILES_OF_A_ROOM = 56
const WAITING_FILES_OF_A_ROOM = 10

// Before all others, one after the other: each starts so many processes that it needs the machine for itself.
const ALONE = ['test/crash/crash-points', 'test/races/races', 'test/soak/short-soak']

// They sleep for real seconds until a deadline of the product passes, and need next to nothing of the machine: beside those.
const SLEEPING = [
  'test/contracts/closed-connections',
  'test/journeys/vending-supplier',
  'test/journeys/live-charge-slow',
  'test/journeys/live-charge-kept',
  'test/journeys/live-payout-slow',
  'test/journeys/orphaned-keys',
  'test/journeys/left-keys',
  'test/crash/charge-reposted',
]

// The longest first. They mostly wait, for real seconds or for programs that they start, and run beside the others.
const WAITING = [
  'test/journeys/statement-long',
  'test/properties/ledger-properties',
  'test/crash/bulk-resumes',
  'test/dashboard/accessible',
  'test/dashboard/journeys',
  'test/console/accessible',
  'test/console/journeys',
  'test/console/journeys-of-two',
  'test/console/journeys-with-merchants',
  'test/pages/accessible-desktop',
  'test/web/browser/accessible',
  'test/developers/accessible',
  'test/notices/accessible',
  'test/developers/journeys',
  'test/journeys/live-payout-left',
  'test/pages/vending-display',
  'test/journeys/payout-freeze',
  'test/journeys/live-payout-races',
  'test/pages/without-scripts',
  'test/pages/payment',
  'test/journeys/fairness',
  'test/crash/payouts-starved',
  'test/pages/hostile',
  'test/properties/vending-properties',
  'test/docs/readme-walk',
  'test/journeys/statement-covered',
  'src/platform/embedded-postgres',
  'test/operation/faults-of-processes',
  'test/operation/program',
  'test/contracts/resolve-account',
  'src/platform/outbound/attempt',
]

/**
 * The rooms that need the machine for themselves, those that sleep, those that mostly wait, and the others, which are busy, with
 * the path of each file. Few files fill as many rooms as run at once. `shortOnly`: of what needs the machine for itself only a few
 * cases run, which mostly wait for their processes.
 */
export function sortIntoRooms(names, { atOnce, pathOf, shortOnly }) {
  const there = (list) => list.filter((name) => names.includes(name)).map(pathOf)
  const others = names.filter((name) => ![...ALONE, ...SLEEPING, ...WAITING].includes(name)).map(pathOf)
  const waiting = there(shortOnly ? [...ALONE, ...WAITING] : WAITING)
  const roomsOf = (paths, most) => Math.ceil(paths.length / most)
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
export const goneAmong = (names) =>
  [...ALONE, ...SLEEPING, ...WAITING].filter((name) => !names.includes(name))
