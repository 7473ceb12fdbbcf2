import { readSideInstallations, type SideInstallations } from '../../../operations/approvals/switch-installation.ts'
import { RAIL_SIDES } from '../../../rails/rail.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Empty, Section, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { INSTALLATIONS as TEXTS } from '../texts/installations.ts'
import type { ConsoleVisit } from '../visit.ts'

const { columns, form: texts, sides } = TEXTS
export const INSTALLATIONS_PATH = '/installations'

export const SWITCH_INSTALLATION_FORM: FormSpec = {
  path: INSTALLATIONS_PATH,
  action: 'installation.switch',
  fields: [
    {
      name: 'side',
      label: texts.side,
      kind: 'select',
      choices: RAIL_SIDES.map((value) => ({ value, label: sides[value] })),
    },
    { name: 'installation', label: texts.installation, kind: 'select' },
    { name: 'reason', label: texts.reason, maxLength: 500 },
  ],
  submit: texts.submit,
  once: true,
}

const renderReason = (visit: ConsoleVisit, { chosen, takes }: SideInstallations) => {
  if (chosen === null) return TEXTS.byFile
  if (chosen.installation !== takes) return TEXTS.gone(chosen.installation)
  return (
    <>
      <a href={visit.to(`/approvals/${chosen.approval}`)}>{TEXTS.chosen}</a>, <Time at={chosen.since} />
    </>
  )
}

const buildColumns = (visit: ConsoleVisit): readonly ListColumn<SideInstallations>[] => [
  { title: columns.side, cell: ({ side }) => sides[side] },
  { title: columns.takes, cell: ({ takes }) => takes ?? TEXTS.nobody },
  { title: columns.why, cell: (side) => renderReason(visit, side) },
  { title: columns.known, cell: ({ known }) => known.join(', ') },
]

/** Shows which installation takes new payments, and the form that asks for another. */
export async function showInstallations(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const rows = await readSideInstallations(visit.gateway)
  const ids = [...new Set(rows.flatMap(({ known }) => known))]
  return pageReply(
    TEXTS.title,
    <>
      <h1>{TEXTS.title}</h1>
      <p class="quiet">{TEXTS.lead}</p>
      {rows.length === 0 ? (
        <Empty title={TEXTS.none}>
          <p>{TEXTS.noneSays}</p>
        </Empty>
      ) : (
        <Table caption={TEXTS.title} rows={rows} columns={buildColumns(visit)} />
      )}
      {ids.length > 1 && (
        <Section title={texts.title}>
          <FormBox
            of={SWITCH_INSTALLATION_FORM}
            visit={visit}
            state={state}
            choices={{ installation: ids.map((value) => ({ value, label: value })) }}
          >
            <p class="hint">{texts.says}</p>
          </FormBox>
        </Section>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}
