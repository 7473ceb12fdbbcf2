import type { ComponentChildren } from 'preact'
import { findDraftOfObject } from '../../../payments/payouts/bulk/drafts/draft.ts'
import { type DraftLine, parseDraftLines } from '../../../payments/payouts/bulk/drafts/draft-lines.ts'
import {
  type BulkCallItem,
  type BulkCallSummary,
  getBatch,
  readBatchItems,
} from '../../../payments/payouts/bulk/find-batches.ts'
import { findPreparedOfObject } from '../../../payments/payouts/prepared/find-prepared.ts'
import type { PreparedPayout } from '../../../payments/payouts/prepared/prepared-payout.ts'
import { type PayoutWait, readPayoutWaits } from '../../../payments/payouts/read-payout-waits.ts'
import { column } from '../../parts/columns.tsx'
import { Facts, Money, Note, OutsideText, Section, State, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn, Pager, Table } from '../../parts/table.tsx'
import { isReachable } from '../hidden-from-staff.ts'
import { WaitHint } from '../payouts/payout-list.tsx'
import { Phone } from '../payouts/phone.tsx'
import { isUnderWay } from '../story/live-story.tsx'
import { MetadataLine } from '../story/story-parts.tsx'
import { BULK } from '../texts/bulk.ts'
import type { DashboardVisit } from '../visit.ts'
import { presentFault } from './draft-lines.tsx'

const { batch: words } = BULK
const LINES_PER_PAGE = 50

type BatchFacts = {
  visit: DashboardVisit
  batch: BulkCallSummary
  items: readonly BulkCallItem[]
  prepared: PreparedPayout | null
  /** The lines as they were written, if a person sent them and they are still kept. */
  written: readonly DraftLine[]
  /** The first of the lines that are shown, and why payouts among those wait. */
  from: number
  waits: ReadonlyMap<string, PayoutWait>
}

/** Shows one bulk call: how far it is, the result of each line, and the lines to mend. */
export async function showBatch(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, caller } = visit
  const batch = await getBatch(app, caller, visit.params.id ?? '')
  const [items, prepared, draft] = await Promise.all([
    readBatchItems(app, caller, batch.id),
    findPreparedOfObject(app, caller, batch.id),
    findDraftOfObject(app, caller.merchantId, batch.id),
  ])
  const from = parseFirstIndex(visit, batch)
  const shown = listShownLines(items, from).flatMap(({ payoutId: id, status }) =>
    id === null ? [] : [{ merchantId: caller.merchantId, id, status: status ?? '' }],
  )
  const written = draft === null ? [] : await parseDraftLines(draft)
  const facts = { visit, batch, items, prepared, written, from, waits: await readPayoutWaits(app, shown) }
  const open = isBatchUnderWay(facts)
  if (visit.part === 'progress') return { kind: 'part', body: <Progress {...facts} />, final: !open }
  return pageReply(
    `${BULK.title}, ${BULK.list.recipients(batch.total)}`,
    <>
      <div class="top">
        <h1>{BULK.list.recipients(batch.total)}</h1>
        <code>{batch.id}</code>
      </div>
      <Progress {...facts} />
    </>,
    open ? { refreshSeconds: 5 } : {},
  )
}

const isBatchUnderWay = ({ batch, items }: BatchFacts) => batch.done < batch.total || items.some(isUnderWay)

/** The part of the page that changes while lines are processed and payouts are under way: the counts and the lines. A script reloads it. */
function Progress(facts: BatchFacts) {
  const { visit, batch, from } = facts
  const here = visit.to(`/bulk/${batch.id}`)
  const query = { part: 'progress', ...(from > 0 ? { after: String(from) } : {}) }
  const live = isBatchUnderWay(facts) ? { 'data-live': addressWith(here, query) } : {}
  return (
    <div class="story" {...live}>
      <Counts {...facts} />
      <Lines {...facts} />
    </div>
  )
}

/** Parses the index of the first line to show from the query, and keeps it within the batch. */
const parseFirstIndex = ({ query }: DashboardVisit, batch: BulkCallSummary) =>
  Math.max(0, Math.min(Math.trunc(Number(query.after ?? query.before ?? 0)) || 0, batch.total - 1))

// The lines that a person must mend come first.
const mustBeMended = ({ error, status }: BulkCallItem) => error !== null || status === 'failed'
const sortLinesToMendFirst = (items: readonly BulkCallItem[]) => [
  ...items.filter(mustBeMended),
  ...items.filter((item) => !mustBeMended(item)),
]

const listShownLines = (items: readonly BulkCallItem[], from: number) =>
  sortLinesToMendFirst(items).slice(from, from + LINES_PER_PAGE)

function Lines(facts: BatchFacts) {
  const { visit, batch, items, from } = facts
  return (
    <Section title={words.lines}>
      <Table caption={words.lines} rows={listShownLines(items, from)} columns={columnsFor(facts)} />
      <Pager
        cursors={{
          newer: from > 0 ? String(Math.max(0, from - LINES_PER_PAGE)) : null,
          older: from + LINES_PER_PAGE < batch.total ? String(from + LINES_PER_PAGE) : null,
        }}
        query={{}}
        here={visit.to(`/bulk/${batch.id}`)}
      />
    </Section>
  )
}

function Counts(facts: BatchFacts) {
  const { visit, batch, items, prepared } = facts
  const count = (matches: (item: BulkCallItem) => boolean) => items.filter(matches).length
  const accepted = items.filter(({ payoutId }) => payoutId !== null)
  const sum = accepted.reduce((total, { amount, replayed }) => total + (replayed ? 0 : (amount ?? 0)), 0)
  return (
    <Section title={words.progress}>
      {isBatchUnderWay(facts) && <Note tone="open">{batch.done < batch.total ? words.running : words.onTheWay}</Note>}
      <progress value={batch.done} max={batch.total} aria-label={words.done} />
      <Facts
        facts={[
          [words.total, batch.total],
          batch.done < batch.total && [words.done, batch.done],
          [words.accepted, accepted.length],
          [words.refused, batch.done - accepted.length],
          [words.replayed, count(({ replayed }) => replayed)],
          [words.succeeded, count(({ status }) => status === 'succeeded')],
          [words.open, count(isUnderWay)],
          [words.failed, count(({ status }) => status === 'failed')],
          [words.amount, <Money amount={sum} />],
          [words.created, <Time at={batch.createdAt} />],
          prepared !== null && [
            words.prepared,
            <a href={visit.to(`/payouts/prepared/${prepared.id}`)}>{prepared.id}</a>,
          ],
        ]}
      />
      <MendNote facts={facts} lines={count(mustBeMended)} />
    </Section>
  )
}

function MendNote({ facts: { visit, batch }, lines }: { facts: BatchFacts; lines: number }) {
  if (lines === 0) return null
  const path = `/bulk/${batch.id}/mend`
  return (
    <Note tone="warn">
      <strong>{words.mendTitle}</strong>
      <p>{words.mend(lines)}</p>
      <p>{isReachable(visit, path) && <a href={visit.to(path)}>{words.download}</a>}</p>
    </Note>
  )
}

/** A line that could not be read shows what stood in it. */
const columnsFor = ({ visit, waits, written }: BatchFacts): readonly ListColumn<BulkCallItem>[] => {
  const lineOf = ({ index }: BulkCallItem) => written[index]
  return [
    { title: words.columns.line, cell: (item) => words.lineAt(lineOf(item)?.line ?? item.index + 1), at: 'when' },
    {
      title: words.columns.phone,
      cell: (item) => <Phone phone={item.phone ?? (lineOf(item)?.written.phone || null)} />,
      at: 'who',
    },
    column.what(words.columns.name, (item) => item.name ?? (lineOf(item)?.written.name || null)),
    {
      title: words.columns.amount,
      cell: (item) =>
        item.amount === null ? (
          <OutsideText text={lineOf(item)?.written.amount || null} />
        ) : (
          <Money amount={item.amount} />
        ),
      figures: true,
      at: 'amount',
    },
    column.text(words.columns.reference, ({ reference }) => reference),
    { title: words.columns.result, cell: (item) => <Result visit={visit} item={item} />, at: 'state' },
    {
      title: words.columns.why,
      cell: (item) => (
        <>
          {explain(item, waits)}
          <MetadataLine metadata={item.metadata} />
        </>
      ),
      at: 'more',
    },
  ]
}

function Result({ visit, item: { payoutId, status, error } }: { visit: DashboardVisit; item: BulkCallItem }) {
  if (payoutId === null)
    return error === null ? <Status word={words.waits} tone="open" /> : <Status word={words.refusedLine} tone="bad" />
  return (
    <a href={visit.to(`/payouts/${payoutId}`)}>
      <State of="payout" state={status ?? ''} />
    </a>
  )
}

/** Why a line was refused, waits, or made no payout of its own; nothing where its state says it all. */
function explain({ payoutId, error, replayed }: BulkCallItem, waits: BatchFacts['waits']): ComponentChildren {
  if (payoutId === null) return error === null ? null : presentFault(error)
  if (replayed) return words.before
  const wait = waits.get(payoutId)
  return wait === undefined ? null : <WaitHint wait={wait} />
}
