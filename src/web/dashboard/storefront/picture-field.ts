import { makeItemPicture } from '../../../selling/storefront/picture.ts'
import { FieldFault } from '../../parts/forms/form-spec.ts'
import { STOREFRONT } from '../texts/storefront.ts'
import type { DashboardVisit } from '../visit.ts'

/** Reads the picture of a form into the format that is stored; null without one. Throws FieldFault. */
export async function parsePictureField({ file }: DashboardVisit): Promise<Buffer | null> {
  if (file === null) return null
  const picture = await makeItemPicture(file.bytes)
  if (picture === null) throw new FieldFault('picture', STOREFRONT.badPicture)
  return picture
}
