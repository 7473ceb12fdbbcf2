import type { CreatedMerchant } from '../../../src/merchants/account/create-merchant.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { setBranding } from '../../../src/merchants/branding/branding.ts'
import { rejectApplication } from '../../../src/merchants/verification/decide-application.ts'
import { saveStep } from '../../../src/merchants/verification/save-step.ts'
import { submitApplication } from '../../../src/merchants/verification/submit-application.ts'
import { issueCards } from '../../../src/payments/gift-cards/issue-cards.ts'
import { addItem } from '../../../src/selling/storefront/add-item.ts'
import { makeItemPicture } from '../../../src/selling/storefront/picture.ts'
import { BY_HAND, owner } from '../../helpers/service/actors.ts'
import type { TestService } from '../../helpers/service/test-service.ts'
import { answerAll, BUSINESS, png } from '../../helpers/web/verification.ts'

const LONG = 'Nnalongo Nakimuli Namatovu Nabukeera n’Abaana be Enterprises (Uganda) Limited'

/** A shop that has something of everything to sell, and whose verification was rejected once. */
export async function busyShop(
  service: TestService,
): Promise<{ merchant: CreatedMerchant; pages: Record<string, string>; customers: Record<string, string> }> {
  const made = await service.merchant({ name: LONG })
  const { app, merchant } = await getMerchantNamed(service.gateway, made.id)
  const place = { merchantId: merchant.id, tag: merchant.tag, cell: app.cell, mode: 'live' as const }
  await answerAll(service, owner(place))
  await submitApplication(app, owner(place))
  const notes = { 'business.tin': 'This is the number of somebody else.', documents: 'The card is cut off.' }
  await rejectApplication(app, BY_HAND, { merchant, number: 1, note: 'Two things are wrong.', notes })
  await saveStep(app, owner(place), { step: 'business', fields: BUSINESS })
  await setBranding(app, owner(place), {
    merchantId: merchant.id,
    change: { accent: '#e91e63', logo: png(300, 100) },
  })
  const api = service.client(made.keys.test)
  const link = (
    await api.post('/v1/payment-links', {
      amount: 25_000,
      description: 'Kitenge, six yards',
      allow_multiple_uses: true,
      reference: 'x'.repeat(255),
    })
  ).body
  const { item } = await addItem(app, BY_HAND, {
    ...{ mode: 'live' as const, shop: merchant, name: 'Ŋŋoma drum', amount: 9_999_999, description: 'Made in Mpigi.' },
    picture: await makeItemPicture(png(400, 400)),
  })
  await addItem(app, BY_HAND, {
    mode: 'live',
    shop: merchant,
    name: 'Mat',
    amount: 12_000,
    description: null,
    picture: null,
  })
  const { cards } = await issueCards(app, BY_HAND, {
    ...{ issuer: merchant, value: 50_000, quantity: 3, expires: null, notes: 'For Idd' },
  })
  const test = '/dashboard/test'
  const live = '/dashboard'
  return {
    merchant: made,
    pages: {
      verification: `${live}/verification`,
      business: `${live}/verification/business`,
      directors: `${live}/verification/directors`,
      director: `${live}/verification/directors/1`,
      settlement: `${live}/verification/settlement`,
      questionnaire: `${live}/verification/questionnaire`,
      documents: `${live}/verification/documents`,
      branding: `${live}/settings/branding`,
      'go-live': `${live}/go-live`,
      links: `${test}/links`,
      link: `${test}/links/${link.id}`,
      'links-empty': `${live}/links?reference=nothing`,
      storefront: `${live}/storefront`,
      item: `${live}/storefront/${item.id}`,
      'storefront-test': `${test}/storefront`,
      'gift-cards': `${live}/gift-cards`,
      'gift-card': `${live}/gift-cards/${cards[0]?.id}`,
      'gift-cards-test': `${test}/gift-cards`,
    },
    customers: { 'branded-pay': `/pay/${link.id}`, 'branded-shop': `/pay/@${made.handle}` },
  }
}
