import { kampalaDay } from '../../../../src/platform/time/kampala.ts'
import type { FormField, FormSpec } from '../../../../src/web/parts/forms/form-spec.ts'
import { pdf, png } from '../../../helpers/web/verification.ts'
import type { Sent } from './send-form.ts'

type Filled = Pick<Sent, 'fields' | 'file'>

const PHONE = '0700000000'
/** Values that the kind of a field does not tell, by the path of the form and the name of the field. */
const OWN: Record<string, Record<string, string>> = {
  '/bulk/paste': { lines: `${PHONE},500,filled-in,James` },
  '/bulk/drafts/:id/columns': { first: '1', c1: 'phone', c2: 'amount' },
  '/bulk/drafts/:id/names': { from: '1' },
  // A day within a year.
  '/invoices/new': { due: kampalaDay(new Date(Date.now() + 5 * 86_400_000)) },
  '/payroll/check': { recipients: `${PHONE},James` },
  '/payroll/new': { amount: '1,000', interval: 'daily', recipients: `${PHONE},James` },
  '/payroll/prepare': { amount: '1,000', interval: 'daily', recipients: `${PHONE},James` },
  '/payouts/send': { phone: PHONE, amount: '1000' },
  '/payouts/prepare': { phone: PHONE, amount: '1000' },
  '/developers/keys/new': { kind: 'test' },
  // A name may be resolved to anything where the tests run.
  '/developers/webhook-addresses/new': { url: 'https://1.1.1.1/hook' },
  '/developers/webhook-addresses/:id/change': { url: 'https://1.1.1.1/changed' },
  '/settings/limits/checker/agree': { above: '1000' },
  '/settings/security/passkeys': { response: '{}' },
  '/storefront/add': { amount: '30,000' },
  '/vending/settings/switch': { to: 'on' },
  '/installations': { installation: 'ug-2' },
}

/** A field that may be empty where another one is not. */
const NEEDED: Record<string, string> = { '/invoices/new': 'email' }

/** What somebody may type into this form. What may stay empty does. */
export function filledIn({ path, fields, maxFileBytes }: FormSpec): Filled {
  const given = fields
    .filter(({ kind, optional, name }) => kind !== 'file' && (!optional || NEEDED[path] === name))
    .map((field) => [field.name, OWN[path]?.[field.name] ?? typed(field)])
  const file = fields.find(({ kind }) => kind === 'file')
  return {
    fields: Object.fromEntries(given),
    file: maxFileBytes === undefined || file === undefined ? undefined : { field: file.name, ...fileFor(path) },
  }
}

function fileFor(path: string): { name: string; bytes: Buffer } {
  if (path.startsWith('/bulk'))
    return { name: 'pay.csv', bytes: Buffer.from(`phone,amount,reference\n${PHONE},500,filled-in\n`) }
  if (path.startsWith('/verification')) return { name: 'scan.pdf', bytes: pdf() }
  return { name: 'picture.png', bytes: png(40, 30) }
}

function typed({ kind = 'text', choices }: FormField): string {
  switch (kind) {
    case 'text':
    case 'lines':
      return 'Some words'
    case 'phone':
    case 'wallet':
      return PHONE
    case 'amount':
      return '1,000'
    case 'number':
      return '1'
    case 'email':
      return 'somebody@people.invalid'
    case 'url':
      return 'https://shop.example/hook'
    case 'password':
    case 'new-password':
      return 'four words of mine'
    case 'code':
      return '123456'
    case 'moment':
    case 'date':
      return '2030-01-15'
    case 'month':
      return '2030-01'
    case 'time':
      return '10:00'
    case 'color':
      return '#004488'
    case 'select':
    case 'radio':
      return choices?.[0]?.value ?? ''
    case 'check':
      return 'yes'
    case 'hidden':
    case 'file':
      return ''
  }
}
