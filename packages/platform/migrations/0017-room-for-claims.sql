-- Room for a claimed version of every row beside the old one. With 60 percent a claim of whole pages found room for
-- three of four, and wrote the others into other pages and into all indexes. Pages that are filled already stay as they are.
alter table webhook_deliveries set (fillfactor = 45);
