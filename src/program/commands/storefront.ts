import { open, stat } from 'node:fs/promises'
import type { Merchant } from '../../merchants/account/merchant.ts'
import { badRequest } from '../../platform/refusal.ts'
import { linkUrl } from '../../selling/payment-links/payment-link.ts'
import { addItem } from '../../selling/storefront/add-item.ts'
import { editItem, type ItemChange, removeItem } from '../../selling/storefront/change-item.ts'
import { listOwnItems } from '../../selling/storefront/find-items.ts'
import { presentItem, type ShopAddress, type ShopItem } from '../../selling/storefront/item.ts'
import { MAX_PICTURE_BYTES, makeItemPicture } from '../../selling/storefront/picture.ts'
import type { App } from '../app.ts'
import { answerRows, type CommandAnswer, command } from './frame/command.ts'
import {
  type CommandInput,
  findText,
  getCommandMerchant,
  getMerchantAndId,
  parseAmount,
  parseKey,
  requireText,
} from './frame/input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

const MAX_KEY_LENGTH = 200
const NO_PICTURE = 'none'

const addressOf = ({ baseUrl }: App, { handle, publicKeyTest }: Merchant): ShopAddress => ({
  baseUrl,
  handle,
  publicKeyTest,
})
const presentShopItem = (item: ShopItem, address: ShopAddress) => ({
  ...presentItem(item, address),
  description: item.description,
  picture_url: presentItem(item, address).picture_url ?? null,
  link_id: item.linkId,
  shown: !item.hidden && !item.removed,
  created_at: item.createdAt.toISOString(),
})

function formatItem(item: ShopItem, { baseUrl }: ShopAddress): string {
  const state = item.removed ? ' (removed)' : item.hidden ? ' (hidden: its link is switched off)' : ''
  const picture = item.pictureAt === null ? '' : ', with a picture'
  return `${item.id} ${item.amount} ${item.name}${picture}${state}  ${linkUrl({ id: item.linkId }, baseUrl)}`
}

const answerItem = (item: ShopItem, address: ShopAddress, note = ''): CommandAnswer => ({
  json: presentShopItem(item, address),
  lines: [formatItem(item, address) + note],
})

const add = command({
  usage: 'storefront add <m> --name N --amount A [--description D] [--picture FILE] [--key K]',
  says: 'offer something on the public page; it can be paid once the business is verified',
  async run(input) {
    const [name, amount] = [requireText(input, 'name'), parseAmount(requireText(input, 'amount'))]
    const commandKey = parseKey(input, MAX_KEY_LENGTH)
    const { app, merchant } = await getCommandMerchant(input)
    const path = findText(input, 'picture')
    const picture = path === undefined ? null : await readPictureFile(path)
    const description = findText(input, 'description') ?? null
    const words = { name, amount, description, picture, commandKey }
    const { item, again } = await addItem(app, input.actor, { shop: merchant, mode: 'live', ...words })
    const address = addressOf(app, merchant)
    return answerItem(item, address, again ? '  (added before with this key)' : '')
  },
})

const edit = command({
  usage: 'storefront edit <m> --item I [--name N] [--amount A] [--description D] [--picture FILE|none]',
  says: 'change what is offered; another amount or description is another payment link',
  async run(input) {
    const id = requireText(input, 'item')
    const words = parseChange(input)
    const path = findText(input, 'picture')
    if (Object.keys(words).length === 0 && path === undefined)
      throw new WrongUsage('nothing to change: give at least one option')
    const { app, merchant } = await getCommandMerchant(input)
    const change = path === undefined ? words : { ...words, picture: await readPictureOrNone(path) }
    const item = await editItem(app, input.actor, { shop: merchant, id, change })
    return answerItem(item, addressOf(app, merchant))
  },
})

const list = command({
  usage: 'storefront list <m>',
  says: 'what is offered on the public page, newest first',
  async run(input) {
    const { app, merchant } = await getCommandMerchant(input)
    const items = await listOwnItems(app, { merchantId: merchant.id, mode: 'live' })
    const address = addressOf(app, merchant)
    return answerRows(items, {
      none: 'nothing is offered',
      present: (item) => presentShopItem(item, address),
      lines: (item) => formatItem(item, address),
    })
  },
})

const remove = command({
  usage: 'storefront remove <m> --item I',
  says: 'take something off the public page and switch its link off',
  async run(input) {
    const { app, merchant, id } = await getMerchantAndId(input, 'item')
    const item = await removeItem(app, input.actor, { shop: merchant, id })
    return answerItem(item, addressOf(app, merchant))
  },
})

export const storefrontCommands = [add, edit, list, remove]

function parseChange(input: CommandInput): ItemChange {
  const [name, amount, description] = ['name', 'amount', 'description'].map((option) => findText(input, option))
  return {
    ...(name === undefined ? {} : { name }),
    ...(amount === undefined ? {} : { amount: parseAmount(amount) }),
    ...(description === undefined ? {} : { description }),
  }
}

const readPictureOrNone = (path: string): Promise<Buffer | null> =>
  path === NO_PICTURE ? Promise.resolve(null) : readPictureFile(path)

/** Reads the picture in a file, in its stored form. Throws a refusal. */
async function readPictureFile(path: string): Promise<Buffer> {
  const file = await readShortFile(path)
  const picture = file && (await makeItemPicture(file))
  if (!picture) throw badRequest('--picture must be a PNG, JPEG or WebP file of at most 2 MB')
  return picture
}

/** Reads a regular file that is short enough; null otherwise: devices and pipes never end, and a long file is not read at all. */
async function readShortFile(path: string): Promise<Buffer | null> {
  const facts = await stat(path).catch(() => null)
  if (facts === null) throw badRequest('--picture names a file that cannot be read')
  if (!facts.isFile() || facts.size > MAX_PICTURE_BYTES) return null
  const handle = await open(path).catch(() => null)
  if (handle === null) throw badRequest('--picture names a file that cannot be read')
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}
