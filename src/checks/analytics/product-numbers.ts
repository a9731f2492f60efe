/** Numbers that stand in tables where a product's number would. Products have numbers from 0. */

/** All products together, in a question and in what is counted for it. */
export const allProducts = -1;

/** A session whose POST named no product: counted for all products, and for none. */
export const noProduct = -2;
