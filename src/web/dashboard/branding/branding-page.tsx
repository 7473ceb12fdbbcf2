import { makePaints, type Paint } from '../../../merchants/branding/accent.ts'
import { logoPath, MAX_LOGO_BYTES, readBranding } from '../../../merchants/branding/branding.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Section } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { BRANDING } from '../texts/branding.ts'
import type { DashboardVisit } from '../visit.ts'

const { colour, logo, preview } = BRANDING

export const BRANDING_PATH = '/settings/branding'
const MAX_NAME_LETTERS = 22

const BRANDING_ACTION = { action: 'branding.set' } as const
export const SET_COLOUR: FormSpec = {
  ...{ ...BRANDING_ACTION, path: `${BRANDING_PATH}/colour`, submit: colour.save },
  fields: [{ name: 'accent', label: colour.label, kind: 'color', hint: colour.hint }],
}
export const DROP_COLOUR: FormSpec = {
  ...{
    ...BRANDING_ACTION,
    path: `${BRANDING_PATH}/colour/remove`,
    submit: colour.drop,
    fields: [],
    plain: true,
  },
}
export const SET_LOGO: FormSpec = {
  ...{ ...BRANDING_ACTION, path: `${BRANDING_PATH}/logo`, submit: logo.save, maxFileBytes: MAX_LOGO_BYTES },
  fields: [
    {
      ...{ name: 'logo', label: logo.label, kind: 'file', hint: logo.hint },
      accept: 'image/png,image/jpeg,image/webp',
    },
  ],
}
export const DROP_LOGO: FormSpec = {
  ...{
    ...BRANDING_ACTION,
    path: `${BRANDING_PATH}/logo/remove`,
    submit: logo.drop,
    fields: [],
    danger: true,
  },
}

/** Shows logo and colour, what customers see of them, and the forms for people who may change them. */
export async function showBranding(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, merchant } = visit
  const { accent, logoAt } = await readBranding(app, merchant.id)
  const picture = logoPath(merchant.handle, logoAt)
  return pageReply(
    BRANDING.title,
    <>
      <h1>{BRANDING.title}</h1>
      <p>{BRANDING.lead}</p>
      <Preview visit={visit} accent={accent ?? colour.usual} picture={picture} />
      <div class="split">
        <Section title={colour.title} id="colour">
          <FormBox of={SET_COLOUR} visit={visit} state={state} values={{ accent: accent ?? colour.usual }} />
          {accent !== null && <FormBox of={DROP_COLOUR} visit={visit} />}
        </Section>
        <Section title={logo.title} id="logo">
          {picture === null ? (
            <p class="quiet">{logo.none}</p>
          ) : (
            <p>
              <img class="logo" src={picture} alt={logo.alt} height="48" />
            </p>
          )}
          <FormBox of={SET_LOGO} visit={visit} state={state} />
          {picture !== null && <FormBox of={DROP_LOGO} visit={visit} />}
        </Section>
      </div>
    </>,
    { status: state?.status ?? 200, scripts: ['photos.js'] },
  )
}

type PreviewProps = { visit: DashboardVisit; accent: string; picture: string | null }

function Preview({ visit, accent, picture }: PreviewProps) {
  const paints = makePaints(accent)
  const { merchant } = visit
  const letters = Array.from(oneLine(merchant.name))
  const name =
    letters.length <= MAX_NAME_LETTERS ? letters.join('') : `${letters.slice(0, MAX_NAME_LETTERS - 1).join('')}…`
  return (
    <Section title={preview.title} id="preview">
      <div class="previews">
        <PreviewCard
          label={preview.light}
          paint={paints.light}
          colours={CARD_COLOURS.light}
          name={name}
          picture={picture}
        />
        <PreviewCard
          label={preview.dark}
          paint={paints.dark}
          colours={CARD_COLOURS.dark}
          name={name}
          picture={picture}
        />
      </div>
      <p class="hint">{preview.adjusted}</p>
      <p>
        <a href={`/pay/@${merchant.handle}`} target="_blank" rel="noreferrer">
          {preview.open}
        </a>
      </p>
    </Section>
  )
}

// Card, text, quiet text and border of both themes, as in src/web/parts/assets/tokens.css.
const CARD_COLOURS = {
  light: { card: '#ffffff', ink: '#14201b', quiet: '#51605a', line: '#dfe6e2' },
  dark: { card: '#161e1b', ink: '#e9f0ec', quiet: '#a6b5ad', line: '#2b3833' },
}
type CardColours = (typeof CARD_COLOURS)['light']
type PreviewCardProps = {
  label: string
  paint: Paint
  colours: CardColours
  name: string
  picture: string | null
}

/** Draws the payment page in small. The content policy allows no styles of a merchant, but the attributes of a drawing have colours. */
const PreviewCard = ({ label, paint, colours, name, picture }: PreviewCardProps) => (
  <svg viewBox="0 0 280 250" width="280" height="250" role="img" aria-label={label}>
    <rect x="0.5" y="0.5" width="279" height="249" rx="14" fill={colours.card} stroke={colours.line} />
    {picture !== null && (
      <>
        <rect x="80" y="14" width="120" height="38" rx="6" fill="#ffffff" />
        <image href={picture} x="84" y="17" width="112" height="32" preserveAspectRatio="xMidYMid meet" />
      </>
    )}
    <g text-anchor="middle" font-family="system-ui, sans-serif">
      <text x="140" y="80" font-size="16" font-weight="700" fill={colours.ink}>
        {`${preview.to} ${name}`}
      </text>
      <text x="140" y="116" font-size="28" font-weight="700" fill={colours.ink}>
        {SAMPLE_AMOUNT}
      </text>
      <rect x="90" y="130" width="100" height="26" rx="13" fill={paint.tint} />
      <text x="140" y="148" font-size="12" font-weight="600" fill={paint.accent}>
        {preview.note}
      </text>
      <rect x="20" y="176" width="240" height="46" rx="10" fill={paint.accent} />
      <text x="140" y="204" font-size="15" font-weight="700" fill={paint.over}>
        {preview.pay}
      </text>
    </g>
  </svg>
)
const SAMPLE_AMOUNT = 'UGX 25,000'
