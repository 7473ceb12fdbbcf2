import { gradeAddress } from '../../../merchants/webhooks/grading/grade-address.ts'
import type { Grade } from '../../../merchants/webhooks/grading/grade-receiver.ts'
import type { Verdict } from '../../../merchants/webhooks/grading/judge.ts'
import { findEventSample } from '../../docs/event-samples.ts'
import type { FormSpec } from '../../parts/forms/form-spec.ts'
import { Section } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { WEBHOOKS } from '../texts/webhooks.ts'
import type { DashboardVisit } from '../visit.ts'
import { DeveloperArea } from './developer-tabs.tsx'
import { WEBHOOKS_PATH } from './webhook-forms.ts'

const { grade: texts } = WEBHOOKS

export const GRADE_RECEIVER: FormSpec = {
  path: `${WEBHOOKS_PATH}/grade`,
  action: 'webhook.ping',
  fields: [],
  submit: texts.submit,
}

// What must be mended comes first.
const ORDER = ['wrong', 'advice', 'right', 'skipped'] as const satisfies readonly Verdict[]

/** Tries the receiver, and answers with what it did right and wrong. Nothing of it is kept. */
export async function submitGrade(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, caller, merchant } = visit
  const grade = await gradeAddress(app, caller, { merchant, findSample: findEventSample })
  return pageReply(
    texts.resultTitle,
    <DeveloperArea visit={visit} at={WEBHOOKS_PATH} title={texts.resultTitle}>
      <p>{texts.summary(countOf(grade, 'right'), countOf(grade, 'wrong'), countOf(grade, 'advice'))}</p>
      <p>
        <code>{merchant.webhookUrl}</code>
      </p>
      {ORDER.map((verdict) => (
        <Found title={texts.groups[verdict]} findings={grade.filter((finding) => finding.verdict === verdict)} />
      ))}
      <p class="hint">{texts.unseen}</p>
      <p>
        <a class="button plain" href={visit.to(WEBHOOKS_PATH)}>
          {WEBHOOKS.secret.back}
        </a>
      </p>
    </DeveloperArea>,
  )
}

const Found = ({ title, findings }: { title: string; findings: Grade }) =>
  findings.length > 0 && (
    <Section title={title}>
      {findings.map(({ title: respect, says }) => (
        <>
          <h3>{respect}</h3>
          <p>{says}</p>
        </>
      ))}
    </Section>
  )

const countOf = (grade: Grade, verdict: Verdict) => grade.filter((finding) => finding.verdict === verdict).length
