import type { MetricObjectWithValues, MetricValue } from 'prom-client'

/** The metrics of one process, as prom-client writes them for another process. */
export type MetricReport = MetricObjectWithValues<MetricValue<string>>[]

/**
 * What the parent says to a child. `stop`: as a SIGTERM does. `retire`: take no new connections, answer on the open ones until they are
 * gone, then stop. `report`: tell your metrics, with or without the figures of the database. `metrics`: the text that the child asked for.
 */
export type ToChild =
  | { says: 'stop' }
  | { says: 'retire' }
  | { says: 'report'; id: number; figures: boolean }
  | { says: 'metrics'; id: number; text: string }

/**
 * What a child says to its parent. `ready`: it has reached the database and works. `reported`: the answer to `report`. `leaving`: its
 * last report. `ask-metrics`: somebody has asked it for the metrics of all.
 */
export type ToParent =
  | { says: 'ready'; url: string }
  | { says: 'reported'; id: number; report: MetricReport }
  | { says: 'leaving'; report: MetricReport }
  | { says: 'ask-metrics'; id: number }
