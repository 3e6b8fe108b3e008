/**
 * The page with the card form does not share a document with others: a document keeps its content security policy and
 * its scripts, and only this page's allow the payment provider's. Apart from the navigation, which the docs do not load.
 */
export const cardFormPath = '/cards';
