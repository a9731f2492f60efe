/** SQL, after WITH: `asked`, every query of analytics that was answered, with its answer. */
export const askedSql = `asked AS (
  SELECT seq, r.sent_ns, r.answered_ns, r.credential, a.body, a.query ->> 'start_date' AS start_date,
    a.query ->> 'end_date' AS end_date, a.query ->> 'product_id' AS product
  FROM answers a JOIN requests r USING (seq) WHERE r.endpoint = 'analytics' AND r.sent_ns IS NOT NULL)`;
