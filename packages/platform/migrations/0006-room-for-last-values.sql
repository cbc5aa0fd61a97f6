-- Every folding writes the last value of every point that spoke: with room in its page the new row needs no new entry
-- in the index.
alter table latest_values set (fillfactor = 50);
