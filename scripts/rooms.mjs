// Which test files share a process: to load the product takes longer than most files run, so a process runs a room of them.

const FILES_OF_A_ROOM = 24

// Each in a process of its own, the longest first: they mostly wait for real seconds or for programs that they start.
const ALONE = [
  'test/crash/crash-points',
  'test/races/races',
  'test/journeys/left-keys',
  'test/journeys/live-charge-slow',
  'test/journeys/statement-long',
  'test/properties/ledger-properties',
  'test/contracts/closed-connections',
  'test/crash/bulk-resumes',
  'test/journeys/vending-supplier',
  'test/pages/accessible-desktop',
  'test/pages/accessible',
  'test/journeys/live-payout-left',
  'test/journeys/live-charge-kept',
  'test/journeys/live-payout-slow',
  'test/journeys/orphaned-keys',
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
  'test/crash/charge-reposted',
  'test/operation/program',
  'test/contracts/resolve-account',
  'src/platform/outbound/attempt',
]

/** The rooms of one file and the rooms of several. */
export function sortIntoRooms(names) {
  const alone = ALONE.filter((name) => names.includes(name)).map((name) => [name])
  const others = names.filter((name) => !ALONE.includes(name))
  const count = Math.ceil(others.length / FILES_OF_A_ROOM)
  // Neighbours are about as long as each other: they are dealt out.
  const shared = Array.from({ length: count }, (_, room) => others.filter((_, nth) => nth % count === room))
  return { alone, shared }
}

/** Files of the list above that are gone or have another name. */
export const goneAmong = (names) => ALONE.filter((name) => !names.includes(name))
