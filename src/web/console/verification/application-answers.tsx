import { type CheckedName, compareNames } from '../../../merchants/verification/checked-names.ts'
import type { SharedFact } from '../../../merchants/verification/digests.ts'
import type { CheckedNumber, NameCheck } from '../../../merchants/verification/name-check.ts'
import { APPLICATION } from '../../parts/application-words.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import { type Fact, Facts, OutsideText, Section, Status } from '../../parts/parts.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { CONSOLE_VERIFICATION_TEXTS } from '../texts/verification.ts'
import type { ConsoleVisit } from '../visit.ts'
import { findFieldLabel, formatAnswer } from './answer-words.ts'
import { ASK_NAME_FORM } from './review-forms.ts'
import type { ReviewPartProps } from './review-page.tsx'

const { checks } = CONSOLE_VERIFICATION_TEXTS
const { stepNames } = APPLICATION

const buildFacts = (step: Parameters<typeof findFieldLabel>[0], answers: object | undefined): Fact[] =>
  Object.entries(answers ?? {}).map(([name, value]) => [
    findFieldLabel(step, name),
    <OutsideText text={formatAnswer(step, name, String(value))} />,
  ])

/** The answers of the business, step by step. */
export function ApplicationAnswers({ reviewed }: ReviewPartProps) {
  const { business, directors, settlement, questionnaire } = reviewed.verification.answers
  const steps = [
    { name: stepNames.business, facts: buildFacts('business', business) },
    ...(directors ?? []).map((director, index) => ({
      name: checks.numbers.director(index),
      facts: buildFacts('director', director),
    })),
    { name: stepNames.settlement, facts: buildFacts('settlement', settlement) },
    { name: stepNames.questionnaire, facts: buildFacts('questionnaire', questionnaire) },
  ]
  return (
    <div>
      {steps.map(({ name, facts }) => (
        <Section title={name}>
          <Facts facts={facts} />
        </Section>
      ))}
    </div>
  )
}

/** Lists every number of the application, with the name that the business gave for it and the operator's name check. */
export const listHeardNames = ({ reviewed, withdrawal }: ReviewPartProps): CheckedName[] =>
  compareNames({ answers: reviewed.verification.answers, withdrawal, checks: reviewed.checks })

/** Formats the name of a number of an application. */
export const formatNumberName = (what: CheckedNumber): string =>
  what === 'settlement' || what === 'withdrawal'
    ? checks.numbers[what]
    : checks.numbers.director(Number(what.slice('director-'.length)))

const buildNumberColumns = (
  visit: ConsoleVisit,
  { id, state }: ReviewPartProps,
): readonly ListColumn<CheckedName>[] => [
  { title: checks.number, cell: ({ what }) => formatNumberName(what) },
  { title: checks.phone, cell: ({ phone }) => phone },
  column.text(checks.given, ({ given }) => given),
  { title: checks.heard, cell: ({ check, differs }) => <HeardNameStatus check={check} differs={differs} /> },
  column.time(checks.at, ({ check }) => check?.at ?? null),
  {
    title: checks.act,
    cell: ({ what }) => (
      <FormBox
        of={ASK_NAME_FORM}
        visit={visit}
        state={visit.params.what === what ? state : null}
        params={{ id, what }}
        compact
      />
    ),
  },
]

/** The name that the operator of the wallet has for a number. */
export const HeardNameStatus = ({ check, differs = false }: { check: NameCheck | null; differs?: boolean }) =>
  check === null ? (
    <span class="quiet">{checks.notAsked}</span>
  ) : !check.active ? (
    <Status word={checks.inactive} tone="bad" />
  ) : (
    <>
      <OutsideText text={check.name ?? checks.unnamed} /> {differs && <Status word={checks.differs} tone="bad" />}
    </>
  )

const SHARED_COLUMNS: readonly ListColumn<SharedFact>[] = [
  column.text(checks.merchant, ({ name }) => name),
  { title: checks.what, cell: ({ kind }) => checks.kinds[kind] },
  column.status(checks.verification, ({ kycStatus }) => kycStatus),
]

/** The comparisons of an application: its names with the operator's, its numbers and browsers with other applications. */
export const ApplicationChecks = (part: ReviewPartProps) => (
  <Section title={checks.title}>
    <h3>{checks.asked}</h3>
    <Table caption={checks.asked} rows={listHeardNames(part)} columns={buildNumberColumns(part.visit, part)} />
    <h3>{checks.shared}</h3>
    {part.reviewed.shared.length === 0 ? (
      <p class="quiet">{checks.sharedNone}</p>
    ) : (
      <Table
        caption={checks.shared}
        rows={part.reviewed.shared}
        columns={SHARED_COLUMNS}
        href={({ publicId }) => part.visit.to(`/merchants/${publicId}`)}
      />
    )}
  </Section>
)
