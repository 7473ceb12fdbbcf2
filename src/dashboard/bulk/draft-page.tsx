import { mayDo } from '../../actors/allow.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { type Fact, Facts, Money, Note, Said, Section, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Pager, Table } from '../../pages/table.tsx'
import { ugx } from '../../pages/wording.ts'
import { type Holder, namesOfDraft } from '../../payouts/bulk/drafts/names-of-draft.ts'
import { type Preview, type PreviewLine, previewBulk } from '../../payouts/bulk/drafts/preview-bulk.ts'
import { checkerState } from '../../payouts/prepared/set-checker-rule.ts'
import { pathOf } from '../payouts/prepared-page.tsx'
import { BULK } from '../texts/bulk.ts'
import type { DashboardVisit } from '../visit.ts'
import { DraftLines, IN_VIEW } from './draft-lines.tsx'

const { draft: words } = BULK
const MOST_PROBLEMS = 100
const NOTE = { name: 'note', label: words.note, optional: true, most: 500 } as const

/** For people who may send without a second person; it asks for a fresh factor. */
export const SEND: FormSpec = {
  path: '/bulk/drafts/:id/send',
  action: 'payout.bulk',
  fields: [NOTE],
  submit: words.send,
  once: true,
}
/** For accountants, who may only prepare. */
export const PREPARE: FormSpec = {
  path: '/bulk/drafts/:id/prepare',
  action: 'payout.prepare',
  fields: [NOTE],
  submit: words.prepare,
  once: true,
}
const PROBLEMS: readonly Column<PreviewLine>[] = [
  { title: words.problemColumns.line, cell: ({ line }) => line },
  {
    title: words.problemColumns.written,
    cell: ({ written: { phone, amount, name, reference } }) => (
      <Said text={[phone, amount, reference, name].filter((cell) => cell !== '').join(', ')} />
    ),
  },
  { title: words.problemColumns.problem, cell: ({ result }) => 'error' in result && result.error },
]

/** Parses the number of the first line to show from the query; 1 if it has none. */
export function firstInView({ query }: DashboardVisit): number {
  const line = Number(query.after ?? query.before ?? query.from ?? 1)
  return Number.isSafeInteger(line) && line > 0 ? line : 1
}

/** Shows a draft: what it would do, line by line, and the form that sends it. */
export async function showDraft(
  visit: DashboardVisit,
  state: FormState | null = null,
  holders: readonly Holder[] | null = null,
): Promise<Shown> {
  const id = visit.params.id ?? ''
  const from = firstInView(visit)
  const preview = await previewBulk(visit.app, visit.caller, id)
  if (visit.part === 'names') {
    const answers = await namesOfDraft(visit.app, visit.caller, { id, from })
    return {
      kind: 'part',
      body: <DraftLines visit={visit} preview={preview} from={from} holders={answers} />,
      final: true,
    }
  }
  const { draft } = preview
  return shownPage(
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
          {words.wasSent} <a href={visit.to(pathOf(draft.objectId))}>{words.look}</a>
        </Note>
      )}
      {preview.refusal !== null && <Note tone="bad">{preview.refusal.message}</Note>}
      <Facts facts={factsOf(preview)} />
      {draft.objectId === null && (preview.refusal === null || state !== null) && (
        <Sending visit={visit} preview={preview} state={state} above={await aboveOf(visit)} />
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

const aboveOf = async ({ app, caller, mode }: DashboardVisit) =>
  mode === 'test' ? null : (await checkerState(app, caller)).above

function factsOf({ pays, paidBefore, refused, available, draft }: Preview): Fact[] {
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

type SendingProps = { visit: DashboardVisit; preview: Preview; state: FormState | null; above: number | null }

function Sending({ visit, preview, state, above }: SendingProps) {
  const maySendAlone = mayDo(visit.caller, 'payout.bulk')
  if (preview.pays.count + preview.paidBefore === 0) return null
  const needsSecond = above !== null && preview.pays.amount > above
  return (
    <>
      {!maySendAlone && <Note>{words.accountant}</Note>}
      {maySendAlone && needsSecond && <Note>{words.alone(ugx(above))}</Note>}
      <FormBox
        of={maySendAlone ? SEND : PREPARE}
        visit={visit}
        state={state}
        params={{ id: preview.draft.id }}
      />
    </>
  )
}

function Problems({ lines }: { lines: readonly PreviewLine[] }) {
  if (lines.length === 0) return null
  return (
    <Section title={words.problems}>
      <Table caption={words.problems} rows={lines.slice(0, MOST_PROBLEMS)} columns={PROBLEMS} />
      {lines.length > MOST_PROBLEMS && <p class="hint">{words.more(lines.length - MOST_PROBLEMS)}</p>}
    </Section>
  )
}

/** The first lines of the pages before and after the one that begins with line `from`. */
function cursorsAt(from: number, lines: readonly PreviewLine[]) {
  const index = lines.findIndex(({ line }) => line >= from)
  const previous = lines[Math.max(0, index - IN_VIEW)]
  const next = lines[index + IN_VIEW]
  return {
    newer: index > 0 && previous !== undefined ? String(previous.line) : null,
    older: index >= 0 && next !== undefined ? String(next.line) : null,
  }
}
