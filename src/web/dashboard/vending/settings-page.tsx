import { readVendingSettings } from '../../../selling/vending/suppliers/vending-settings.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Section, Status } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { VENDING } from '../texts/vending.ts'
import type { DashboardVisit } from '../visit.ts'
import { VendingTabs } from './vending-tabs.tsx'

const { settings: words } = VENDING
export const JAM_REFUND_MODES = ['off', 'test', 'live', 'both'] as const

export const TURN_ON_VENDING: FormSpec = {
  path: '/vending/settings/switch',
  action: 'merchant.vending',
  fields: [{ name: 'to', label: words.switch.title, kind: 'hidden' }],
  submit: words.switch.turnOn,
}
const TURN_OFF_VENDING: FormSpec = { ...TURN_ON_VENDING, submit: words.switch.turnOff, danger: true }
export const SET_SUPPLIER: FormSpec = {
  path: '/vending/settings/supplier',
  action: 'vending.set',
  fields: [
    {
      name: 'base_url',
      label: words.supplier.baseUrl,
      kind: 'url',
      maxLength: 2000,
    },
    { name: 'shbh', label: words.supplier.shbh, maxLength: 64 },
    {
      name: 'key',
      label: words.supplier.key,
      kind: 'password',
      autocomplete: 'off',
      maxLength: 500,
      hint: words.supplier.never,
    },
    {
      name: 'secret',
      label: words.supplier.secret,
      kind: 'password',
      autocomplete: 'off',
      maxLength: 500,
      hint: words.supplier.never,
    },
  ],
  submit: words.supplier.submit,
}
export const SET_PROFILE: FormSpec = {
  path: '/vending/settings/profile',
  action: 'vending.set',
  fields: [
    {
      name: 'profile',
      label: words.profile.profile,
      kind: 'radio',
      choices: [
        { value: 'default', label: words.profile.strict },
        { value: 'optimistic', label: words.profile.optimistic },
      ],
    },
    { name: 'accept', label: words.profile.accept, kind: 'check', hint: words.profile.acceptHint },
  ],
  submit: words.profile.submit,
}
export const SET_JAM_REFUNDS: FormSpec = {
  path: '/vending/settings/jams',
  action: 'merchant.jams',
  fields: [
    {
      name: 'jams',
      label: words.jams.label,
      kind: 'select',
      choices: JAM_REFUND_MODES.map((value) => ({ value, label: words.jams.choices[value] })),
    },
  ],
  submit: words.jams.submit,
}
export const MAKE_DISPENSE_SECRET: FormSpec = {
  path: '/vending/settings/secret',
  action: 'vending.secret',
  fields: [],
  submit: words.secret.submit,
  once: true,
}

export async function showVendingSettings(
  visit: DashboardVisit,
  state: FormState | null = null,
): Promise<SurfaceReply> {
  const { app, merchant } = visit
  const vending = await readVendingSettings(app, merchant.id)
  const isOn = merchant.vendingEnabled
  const formProps = { visit, state }
  return pageReply(
    VENDING.title,
    <>
      <h1>{VENDING.title}</h1>
      <VendingTabs visit={visit} at="/vending/settings" />
      <Section
        title={words.switch.title}
        aside={<Status word={isOn ? words.switch.on : words.switch.off} tone={isOn ? 'good' : 'quiet'} />}
      >
        <FormBox of={isOn ? TURN_OFF_VENDING : TURN_ON_VENDING} {...formProps} values={{ to: isOn ? 'off' : 'on' }} />
      </Section>
      <Section title={words.supplier.title}>
        <p>
          {vending.baseUrl === null ? words.supplier.none : words.supplier.set(vending.baseUrl, vending.shbh ?? '')}
        </p>
        <FormBox
          of={SET_SUPPLIER}
          {...formProps}
          values={{ base_url: vending.baseUrl ?? '', shbh: vending.shbh ?? '' }}
        />
      </Section>
      <Section title={words.profile.title}>
        <FormBox
          of={SET_PROFILE}
          {...formProps}
          values={{ profile: vending.profile, accept: vending.acceptApiSecret ? 'yes' : '' }}
        />
      </Section>
      <Section title={words.jams.title}>
        <FormBox of={SET_JAM_REFUNDS} {...formProps} values={{ jams: merchant.autoRefundOnJam }} />
      </Section>
      <Section title={words.secret.title}>
        <FormBox of={MAKE_DISPENSE_SECRET} {...formProps}>
          <p class="hint">{words.secret.says}</p>
        </FormBox>
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}
