import type { ComponentChildren } from 'preact'
import type { Approval } from '../../approvals/approval.ts'
import { approvalsAbout } from '../../approvals/find-approvals.ts'
import { getException } from '../../exceptions/any-exception.ts'
import type { ExceptionNote } from '../../exceptions/notes.ts'
import type { OpenedException } from '../../exceptions/resolve-exception.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormState } from '../../pages/form-spec.ts'
import {
  type Entry,
  Facts,
  Note,
  RawJson,
  Said,
  Section,
  Status,
  Time,
  Timeline,
} from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { shown } from '../../pages/wording.ts'
import { evidenceOf } from '../../reconciliation/evidence.ts'
import { Details } from '../reconciliation/details.tsx'
import { EXCEPTIONS } from '../texts/exceptions.ts'
import type { ConsoleVisit } from '../visit.ts'
import { BothSides } from './evidence-parts.tsx'
import { Acts } from './exception-acts.tsx'
import { NOTE, TAKE } from './exception-forms.ts'
import { Severity } from './exceptions-page.tsx'

const { detail } = EXCEPTIONS

/** Shows one exception: what was found, both sides of the movement, its history, and the forms that may be sent now. */
export async function showException(visit: ConsoleVisit, state: FormState | null = null): Promise<Shown> {
  const { gateway, params } = visit
  const { place, exception, notes } = await getException(gateway, params.id ?? '')
  const [evidence, approvals] = await Promise.all([
    evidenceOf(gateway, place.app, exception),
    approvalsAbout(place, exception.id),
  ])
  const title = exception.kind.replaceAll('_', ' ')
  return shownPage(
    title,
    <>
      <div class="top">
        <h1>{title}</h1>
        <Severity severity={exception.severity} />
      </div>
      <About visit={visit} exception={exception} state={state} />
      <Section title={detail.found}>
        {Object.keys(exception.details).length === 0 ? (
          <p class="quiet">{detail.foundNothing}</p>
        ) : (
          <Details details={exception.details} />
        )}
        <RawJson value={exception.details} />
      </Section>
      <BothSides visit={visit} evidence={evidence} />
      {approvals.length > 0 && <Asked visit={visit} approvals={approvals} />}
      <Section title={detail.history}>
        <Timeline entries={historyOf(exception, notes)} />
        <FormBox of={NOTE} visit={visit} state={state} params={{ id: exception.id }} />
      </Section>
      {exception.closedAt === null && <Acts {...{ visit, exception, state, approvals }} />}
    </>,
    { status: state?.status ?? 200 },
  )
}

type AboutProps = { visit: ConsoleVisit; exception: OpenedException; state: FormState | null }

function About({ visit, exception, state }: AboutProps) {
  const { facts } = detail
  const { id, merchant, owner, foundBy, closedAt, resolution } = exception
  return (
    <Section title={exception.id}>
      {closedAt === null && exception.severity === 'critical' && merchant !== null && (
        <Note tone="warn">{detail.pauses}</Note>
      )}
      <Facts
        facts={[
          [
            facts.merchant,
            merchant === null ? (
              EXCEPTIONS.platform
            ) : (
              <a href={visit.to(`/merchants/${merchant}`)}>{merchant}</a>
            ),
          ],
          [facts.mode, exception.mode],
          [facts.subject, <Subject visit={visit} exception={exception} />],
          foundBy !== null && [facts.foundBy, foundBy.map((leg) => EXCEPTIONS.legs[leg]).join(', ')],
          [facts.owner, owner === null ? detail.nobody : <Said text={owner} />],
          [facts.opened, <Time at={exception.openedAt} />],
          [facts.seen, EXCEPTIONS.times(exception.seenCount)],
          [facts.last, <Time at={exception.lastSeenAt} />],
          closedAt !== null && [facts.closed, <Time at={closedAt} />],
          closedAt !== null && [
            facts.resolution,
            resolution === null ? EXCEPTIONS.agreed : EXCEPTIONS.resolutions[resolution],
          ],
          closedAt !== null && [facts.by, <Said text={exception.resolvedBy} />],
          closedAt !== null && [facts.note, <Said text={exception.note} />],
        ]}
      />
      {closedAt === null && owner !== visit.caller.name && (
        <FormBox of={TAKE} visit={visit} state={state} params={{ id }} />
      )}
    </Section>
  )
}

/** The subject as a link if it is a payment. A leg may also find a fault in the books, which has no page. */
const Subject = ({ visit, exception: { subject } }: { visit: ConsoleVisit; exception: OpenedException }) =>
  /^(?:txn|pout|top)_[a-z0-9]+$/.test(subject) ? (
    <a href={visit.to(`/payments/${subject}`)}>{subject}</a>
  ) : (
    <code>{shown(subject)}</code>
  )

const Asked = ({ visit, approvals }: { visit: ConsoleVisit; approvals: readonly Approval[] }) => (
  <Section title={detail.approvals}>
    <ul class="plain">
      {approvals.map(({ id, status, askedAt }) => (
        <li>
          <a href={visit.to(`/approvals/${id}`)}>{id}</a> <Status word={status} /> <Time at={askedAt} />
        </li>
      ))}
    </ul>
  </Section>
)

function historyOf(exception: OpenedException, notes: readonly ExceptionNote[]): Entry[] {
  const { openedAt, closedAt, resolution, note, resolvedBy } = exception
  const how = resolution === null ? EXCEPTIONS.agreed : EXCEPTIONS.resolutions[resolution]
  return [
    { at: openedAt, title: detail.opened, tone: 'warn' },
    ...notes.map(({ at, by, kind, text }) => ({
      at,
      title: wordsOf(kind, text),
      detail: detail.by(shown(by)),
    })),
    ...(closedAt === null
      ? []
      : [
          {
            ...{ at: closedAt, title: detail.resolved(how), tone: 'good' as const },
            detail: `${shown(note ?? '')} (${shown(resolvedBy ?? '')})`,
          },
        ]),
  ]
}

function wordsOf(kind: ExceptionNote['kind'], text: string): ComponentChildren {
  switch (kind) {
    case 'note':
      return <span class="lines">{text}</span>
    case 'taken':
      return detail.taken(shown(text))
    case 'asked':
      return detail.asked(shown(text))
  }
}
