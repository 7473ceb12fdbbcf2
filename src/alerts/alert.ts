import { KIND_FACTS } from './kinds.ts'

/** A condition found by one check. */
export type Alarm = {
  kind: AlertKind
  /** What it is about; one alert is open for each kind and subject. */
  subject: string
  /** A sentence with what, how much money and where. No phones; nobody is named but operators. */
  says: string
  /** The size in a unit of its kind: when it has doubled, the alert is sent again. */
  size: number
  /** Since when it holds. */
  since: Date
  /** Of acts, the time of the newest: each new one is told. */
  newsAt?: Date
}

export type AlertKind = keyof typeof KIND_FACTS
/** Every kind of alert. */
export const ALERT_KINDS = Object.keys(KIND_FACTS) as AlertKind[] // Exactly the keys of the table.

/** What to do about an alert, in a sentence. */
export const toDoOf = (kind: AlertKind): string => KIND_FACTS[kind].toDo

/** The page of the console on which it is dealt with. */
export const pageOf = (kind: AlertKind): string => `/console${KIND_FACTS[kind].page}`

/** Where its paragraph of docs/operating.md is shown. */
export const paragraphOf = (kind: AlertKind): string => `/console/alerts/kinds/${kind}`

/** The kind that a text names, or null. */
export const readKind = (text: string): AlertKind | null => ALERT_KINDS.find((kind) => kind === text) ?? null
