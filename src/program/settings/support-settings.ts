import type { ContactNumber } from '../../merchants/mails/contacts.ts'
import { parsePhone } from '../../platform/text/phone.ts'
import { addresses, setting, WrongSettings } from './setting-readers.ts'

const oneAddress = (text: string): string | null => {
  const list = addresses(text)
  if (list.length > 1) throw new WrongSettings('must be one e-mail address')
  return list[0] ?? null
}

const contactNumber = (text: string): ContactNumber | null => {
  if (text === '') return null
  const digits = /^[+0-9 ()-]{7,30}$/.test(text) ? parsePhone(text.replace(/[()]/g, '')) : null
  if (digits === null) throw new WrongSettings('must be a phone number, such as +256 772 123 456')
  return { written: text, digits }
}

/** How merchants reach people of ours: shown on every page of the dashboard and in every mail to them. */
export const SUPPORT_SETTINGS = {
  supportEmail: setting(
    'SUPPORT_EMAIL',
    '',
    'the address to which merchants write for help; stands on every page of the dashboard and in every mail to them',
    oneAddress,
  ),
  supportPhone: setting(
    'SUPPORT_PHONE',
    '',
    'the number that merchants call for help, as it is to be read; shown beside SUPPORT_EMAIL',
    contactNumber,
  ),
  supportWhatsapp: setting(
    'SUPPORT_WHATSAPP',
    '',
    'the number to which merchants write on WhatsApp, as it is to be read; shown beside SUPPORT_EMAIL',
    contactNumber,
  ),
}
