import type { ComponentChildren } from 'preact'
import type { Approval } from '../../../operations/approvals/approval.ts'
import { readApprovalsAbout } from '../../../operations/approvals/find-approvals.ts'
import { readEvidence } from '../../../operations/reconciliation/evidence.ts'
import { getException } from '../../../payments/exceptions/any-exception.ts'
import type { ExceptionNote } from '../../../payments/exceptions/notes.ts'
import type { OpenedException } from '../../../payments/exceptions/resolve-exception.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import {
  Facts,
  Note,
  OutsideText,
  RawJson,
  Section,
  Status,
  Time,
  Timeline,
  type TimelineEntry,
} from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { SubjectLink } from '../payments/subject-link.tsx'
import { ExceptionDetails } from '../reconciliation/exception-details.tsx'
import { EXCEPTIONS } from '../texts/exceptions.ts'
import type { ConsoleVisit } from '../visit.ts'
import { BothSides } from './evidence-parts.tsx'
import { ExceptionActs } from './exception-acts.tsx'
import { EXCEPTION_NOTE_FORM, TAKE_EXCEPTION_FORM } from './exception-forms.ts'
import { SeverityStatus } from './exceptions-page.tsx'

const { detail } = EXCEPTIONS

/** Shows one exception: what was found, both sides of the movement, its history, and the forms that may be sent now. */
export async function showException(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { gateway, params } = visit
  const { location, exception, notes } = await getException(gateway, params.id ?? '')
  const [evidence, approvals] = await Promise.all([
    readEvidence(gateway, location.app, exception),
    readApprovalsAbout(location, exception.id),
  ])
  const title = exception.kind.replaceAll('_', ' ')
  return pageReply(
    title,
    <>
      <div class="top">
        <h1>{title}</h1>
        <SeverityStatus severity={exception.severity} />
      </div>
      <ExceptionFacts visit={visit} exception={exception} state={state} />
      <Section title={detail.found}>
        {Object.keys(exception.details).length === 0 ? (
          <p class="quiet">{detail.foundNothing}</p>
        ) : (
          <ExceptionDetails details={exception.details} />
        )}
        <RawJson value={exception.details} />
      </Section>
      <BothSides visit={visit} evidence={evidence} />
      {approvals.length > 0 && <ApprovalList visit={visit} approvals={approvals} />}
      <Section title={detail.history}>
        <Timeline entries={buildHistory(exception, notes)} />
        <FormBox of={EXCEPTION_NOTE_FORM} visit={visit} state={state} params={{ id: exception.id }} />
      </Section>
      {exception.closedAt === null && <ExceptionActs {...{ visit, exception, state, approvals }} />}
    </>,
    { status: state?.status ?? 200 },
  )
}

type ExceptionFactsProps = { visit: ConsoleVisit; exception: OpenedException; state: FormState | null }

function ExceptionFacts({ visit, exception, state }: ExceptionFactsProps) {
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
            merchant === null ? EXCEPTIONS.platform : <a href={visit.to(`/merchants/${merchant}`)}>{merchant}</a>,
          ],
          [facts.mode, exception.mode],
          [facts.subject, <SubjectLink visit={visit} subject={exception.subject} />],
          foundBy !== null && [facts.foundBy, foundBy.map((leg) => EXCEPTIONS.legs[leg]).join(', ')],
          [facts.owner, owner === null ? detail.nobody : <OutsideText text={owner} />],
          [facts.opened, <Time at={exception.openedAt} />],
          [facts.seen, EXCEPTIONS.times(exception.seenCount)],
          [facts.last, <Time at={exception.lastSeenAt} />],
          closedAt !== null && [facts.closed, <Time at={closedAt} />],
          closedAt !== null && [
            facts.resolution,
            resolution === null ? EXCEPTIONS.agreed : EXCEPTIONS.resolutions[resolution],
          ],
          closedAt !== null && [facts.by, <OutsideText text={exception.resolvedBy} />],
          closedAt !== null && [facts.note, <OutsideText text={exception.note} />],
        ]}
      />
      {closedAt === null && owner !== visit.caller.name && (
        <FormBox of={TAKE_EXCEPTION_FORM} visit={visit} state={state} params={{ id }} />
      )}
    </Section>
  )
}

const ApprovalList = ({ visit, approvals }: { visit: ConsoleVisit; approvals: readonly Approval[] }) => (
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

function buildHistory(exception: OpenedException, notes: readonly ExceptionNote[]): TimelineEntry[] {
  const { openedAt, closedAt, resolution, note, resolvedBy } = exception
  const how = resolution === null ? EXCEPTIONS.agreed : EXCEPTIONS.resolutions[resolution]
  return [
    { at: openedAt, title: detail.opened, tone: 'warn' },
    ...notes.map(({ at, by, kind, text }) => ({
      at,
      title: renderNote(kind, text),
      detail: detail.by(oneLine(by)),
    })),
    ...(closedAt === null
      ? []
      : [
          {
            ...{ at: closedAt, title: detail.resolved(how), tone: 'good' as const },
            detail: `${oneLine(note ?? '')} (${oneLine(resolvedBy ?? '')})`,
          },
        ]),
  ]
}

function renderNote(kind: ExceptionNote['kind'], text: string): ComponentChildren {
  switch (kind) {
    case 'note':
      return <span class="lines">{text}</span>
    case 'taken':
      return detail.taken(oneLine(text))
    case 'asked':
      return detail.asked(oneLine(text))
  }
}
