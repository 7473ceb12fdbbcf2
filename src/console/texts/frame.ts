/** The frame around the pages of the console. */
export const FRAME = {
  product: 'Console',
  searchHint: 'Id, reference, phone, operator’s number',
  pages: {
    home: 'Home',
  },
}
