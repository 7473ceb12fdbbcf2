import { mayDo } from '../../../api/access/allow.ts'
import { formatReading, getDraft } from '../../../payments/payouts/bulk/drafts/draft.ts'
import {
  type DraftLineHolder,
  lookUpDraftHolders,
} from '../../../payments/payouts/bulk/drafts/look-up-draft-holders.ts'
import { type BulkPreview, type PreviewLine, previewBulk } from '../../../payments/payouts/bulk/drafts/preview-bulk.ts'
import { hasLostZero } from '../../../payments/payouts/bulk/files/phone-text.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormField, FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { type Fact, Facts, Money, Note, Section, Time } from '../../parts/parts.tsx'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Pager, Table } from '../../parts/table.tsx'
import { getObjectPath } from '../object-link.tsx'
import { Phone } from '../payouts/phone.tsx'
import { readCheckerAmount, SecondPersonNote } from '../payouts/second-person.tsx'
import { BULK } from '../texts/bulk.ts'
import type { DashboardVisit } from '../visit.ts'
import { SheetNote } from './columns-page.tsx'
import { DRAFT_LINES_PER_PAGE, DraftLines, presentFault } from './draft-lines.tsx'

const { draft: words } = BULK
const MAX_PROBLEMS_SHOWN = 100
const NOTE_FIELD = { name: 'note', label: words.note, optional: true, maxLength: 500 } as const satisfies FormField
// How the lines are read that the sender sees.
const READING_FIELD = {
  name: 'reading',
  label: '',
  kind: 'hidden',
  optional: true,
  maxLength: 600,
} as const satisfies FormField

/** For people who may send without a second person; it asks for a fresh factor. */
export const SEND_DRAFT: FormSpec = {
  path: '/bulk/drafts/:id/send',
  action: 'payout.bulk',
  fields: [NOTE_FIELD, READING_FIELD],
  submit: words.send,
  once: true,
}
/** For accountants, who may only prepare. */
export const PREPARE_DRAFT: FormSpec = {
  path: '/bulk/drafts/:id/prepare',
  action: 'payout.prepare',
  fields: [NOTE_FIELD, READING_FIELD],
  submit: words.prepare,
  once: true,
}
const PROBLEM_COLUMNS: readonly ListColumn<PreviewLine>[] = [
  { title: words.problemColumns.line, cell: ({ line }) => words.lineAt(line), at: 'when' },
  { title: words.problemColumns.phone, cell: ({ written }) => <Phone phone={written.phone} />, at: 'who' },
  column.what(words.problemColumns.name, ({ written }) => written.name),
  { ...column.text<PreviewLine>(words.problemColumns.amount, ({ written }) => written.amount), at: 'amount' },
  column.text(words.problemColumns.reference, ({ written }) => written.reference),
  {
    title: words.problemColumns.problem,
    cell: ({ result }) => 'error' in result && presentFault(result.error),
    at: 'more',
  },
]

/** Parses the number of the first line to show from the query; 1 if it has none. */
export function parseFirstLine({ query }: DashboardVisit): number {
  const line = Number(query.after ?? query.before ?? query.from ?? 1)
  return Number.isSafeInteger(line) && line > 0 ? line : 1
}

/** Shows a draft: what it would do, line by line, and the form that sends it. */
export async function showDraft(
  visit: DashboardVisit,
  state: FormState | null = null,
  holders: readonly DraftLineHolder[] | null = null,
): Promise<SurfaceReply> {
  const id = visit.params.id ?? ''
  const from = parseFirstLine(visit)
  const { layout } = await getDraft(visit.app, visit.caller, id)
  if (layout !== null && layout.columns === null) return redirectDone(visit.to(`/bulk/drafts/${id}/columns`))
  const preview = await previewBulk(visit.app, visit.caller, id)
  if (visit.part === 'names') {
    const answers = await lookUpDraftHolders(visit.app, visit.caller, { id, from })
    return {
      kind: 'part',
      body: <DraftLines visit={visit} preview={preview} from={from} holders={answers} />,
      final: true,
    }
  }
  const { draft } = preview
  return pageReply(
    words.title,
    <>
      <div class="top">
        <h1>{words.title}</h1>
        <code>{draft.name}</code>
      </div>
      {draft.objectId === null ? (
        <Note>{words.nothing}</Note>
      ) : (
        <Note tone="open">
          {words.wasSent} <a href={visit.to(getObjectPath(draft.objectId))}>{words.look}</a>
        </Note>
      )}
      {preview.refusal !== null && <Note tone="bad">{preview.refusal.message}</Note>}
      <ReadingNotes visit={visit} preview={preview} />
      <Facts facts={buildDraftFacts(preview)} />
      {draft.objectId === null && (preview.refusal === null || state !== null) && (
        <SendBox visit={visit} preview={preview} state={state} above={await readCheckerAmount(visit)} />
      )}
      <Problems lines={preview.lines.filter(({ result }) => result.kind === 'refused')} />
      <Section title={words.lines}>
        <DraftLines visit={visit} preview={preview} from={from} holders={holders} />
        <Pager cursors={cursorsAt(from, preview.lines)} query={{}} here={visit.to(`/bulk/drafts/${id}`)} />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

function buildDraftFacts({ pays, paidBefore, refused, available, draft }: BulkPreview): Fact[] {
  const total = pays.amount + pays.fees
  return [
    [words.pays, pays.count],
    [words.amount, <Money amount={pays.amount} />],
    [words.fees, <Money amount={pays.fees} />],
    [words.total, <Money amount={total} />],
    [words.available, <Money amount={available} />],
    [words.after, <Money amount={available - total} />],
    [words.before, paidBefore],
    [words.refused, refused],
    [words.kept, <Time at={draft.expiresAt} />],
  ]
}

/** How the list was read: its sheet, its columns, and what Excel has done to it. */
function ReadingNotes({ visit, preview: { draft, lines } }: { visit: DashboardVisit; preview: BulkPreview }) {
  const { layout, id, objectId } = draft
  if (layout === null || objectId !== null) return null
  const lost = lines.filter(({ written }) => hasLostZero(written.phone)).length
  return (
    <>
      {layout.sheet !== null && <SheetNote sheet={layout.sheet} />}
      {lost > 0 && <Note>{words.lostZeros(lost)}</Note>}
      {layout.fixed !== true && (
        <p class="hint">
          <a href={visit.to(`/bulk/drafts/${id}/columns`)}>{BULK.columns.change}</a>
        </p>
      )}
    </>
  )
}

type SendBoxProps = {
  visit: DashboardVisit
  preview: BulkPreview
  state: FormState | null
  above: number | null
}

function SendBox({ visit, preview, state, above }: SendBoxProps) {
  const maySendAlone = mayDo(visit.caller, 'payout.bulk')
  if (preview.pays.count + preview.paidBefore === 0) return null
  const reading = formatReading(preview.draft.layout)
  return (
    <>
      <SecondPersonNote maySendAlone={maySendAlone} amount={preview.pays.amount} above={above} texts={words} />
      <FormBox
        of={maySendAlone ? SEND_DRAFT : PREPARE_DRAFT}
        visit={visit}
        // A refused form is shown below the lines as they are read now.
        state={state === null ? null : { ...state, values: { ...state.values, reading } }}
        values={{ reading }}
        params={{ id: preview.draft.id }}
      />
    </>
  )
}

function Problems({ lines }: { lines: readonly PreviewLine[] }) {
  if (lines.length === 0) return null
  return (
    <Section title={words.problems}>
      <Table caption={words.problems} rows={lines.slice(0, MAX_PROBLEMS_SHOWN)} columns={PROBLEM_COLUMNS} />
      {lines.length > MAX_PROBLEMS_SHOWN && <p class="hint">{words.more(lines.length - MAX_PROBLEMS_SHOWN)}</p>}
    </Section>
  )
}

/** The first lines of the pages before and after the one that begins with line `from`. */
function cursorsAt(from: number, lines: readonly PreviewLine[]) {
  const index = lines.findIndex(({ line }) => line >= from)
  const previous = lines[Math.max(0, index - DRAFT_LINES_PER_PAGE)]
  const next = lines[index + DRAFT_LINES_PER_PAGE]
  return {
    newer: index > 0 && previous !== undefined ? String(previous.line) : null,
    older: index >= 0 && next !== undefined ? String(next.line) : null,
  }
}
