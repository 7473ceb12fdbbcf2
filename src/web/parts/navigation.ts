import type { Action } from '../../api/access/actions.ts'
import type { IconName } from './icons.tsx'

/** A page that the navigation links to. `see`: the action that a person must be allowed to see the entry. */
type NavigationEntry = {
  path: string
  name: string
  icon: IconName
  see: Action
  /** A shorter name, for the bottom of a phone's screen. */
  short?: string
  /** Its pages have tabs, which say where one is. */
  tabs?: true
  /** The page that lists what waits; the entry links to it while something waits. */
  workAt?: string
}
export type NavigationGroup = { name: string | null; entries: readonly NavigationEntry[] }

/** Whether a path of a surface belongs to an entry: `/charges/txn_...` to `/charges`. */
export const belongsTo = (path: string, entry: string): boolean =>
  entry === '/' ? path === '/' : path === entry || path.startsWith(`${entry}/`)
