/** A phone number of ours as people read it, and its digits with country code. */
export type ContactNumber = { written: string; digits: string }

/** How merchants reach people of ours (SUPPORT_EMAIL, SUPPORT_PHONE, SUPPORT_WHATSAPP). */
export type SupportSettings = {
  supportEmail: string | null
  supportPhone: ContactNumber | null
  supportWhatsapp: ContactNumber | null
}

/** One way to reach us: its name, what people read, and the link that opens it. */
export type Contact = { name: string; written: string; href: string }

/** Lists the ways to reach us. What can carry a text says the reference of the page or mail from which somebody writes. */
export function listContacts(
  { supportEmail: email, supportPhone: phone, supportWhatsapp: whatsapp }: SupportSettings,
  reference: string,
): Contact[] {
  const text = encodeURIComponent(`Reference: ${reference}\n\n`)
  const subject = encodeURIComponent(`Help (${reference})`)
  return [
    ...(email === null
      ? []
      : [{ name: 'E-mail', written: email, href: `mailto:${encodeAddress(email)}?subject=${subject}&body=${text}` }]),
    ...(phone === null ? [] : [{ name: 'Phone', written: phone.written, href: `tel:+${phone.digits}` }]),
    ...(whatsapp === null
      ? []
      : [{ name: 'WhatsApp', written: whatsapp.written, href: `https://wa.me/${whatsapp.digits}?text=${text}` }]),
  ]
}

/** An address within a link: its characters that mean something there would end it. */
const encodeAddress = (email: string) => encodeURIComponent(email).replace('%40', '@')
