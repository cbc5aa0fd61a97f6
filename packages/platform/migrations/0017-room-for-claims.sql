-- checksum bf45f15dfa1253b4fec001f36c503f94c9bd25c1859c0068dae1ad77bd44174b, statements 8613e31755a001f7
-- Leaves enough free space in the pages for a new version of every row. At 60 percent, when all rows of a page were
-- claimed, a quarter of the new versions did not fit: they went to other pages and needed new entries in all indexes.
-- Existing pages are not changed.
alter table webhook_deliveries set (fillfactor = 45);
