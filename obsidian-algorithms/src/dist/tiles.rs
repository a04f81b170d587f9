//! Whole tiles of a spread array: each tile is brought together on the rank that has its first element. In: parts that begin anywhere; out: the
//! tiles of this rank, and the way back for what is computed of them.

use std::ops::Range;

use obsidian::exchange::{Done, Exchange};
use obsidian::{Buffer, Element, Error};

use super::spread::Spread;
use super::together;

/// Which tiles a rank has, and what that takes: known to all ranks, of all ranks.
pub struct Cuts {
    /// Elements of a tile.
    tile: u64,
    /// The first tile of each rank, and the number of tiles.
    pub tiles: Vec<u64>,
    starts: Vec<u64>,
}

impl Cuts {
    /// Those of an array.
    pub fn of<T: Element>(xs: &Spread<T>, tile: usize) -> Cuts {
        let (starts, tile) = (xs.starts().to_vec(), tile as u64);
        Cuts { tile, tiles: starts.iter().map(|start| start.div_ceil(tile)).collect(), starts }
    }

    /// The tiles of neighbouring ranks.
    pub fn run(&self, ranks: &Range<usize>) -> Range<u64> {
        self.tiles[ranks.start]..self.tiles[ranks.end]
    }

    /// Whether every part begins with a tile.
    fn clean(&self) -> bool {
        let inner = &self.starts[..self.starts.len() - 1];
        let len = self.starts.last();
        inner.iter().all(|start| start.is_multiple_of(self.tile) || Some(start) == len)
    }

    /// How many elements at the start of a rank's part belong to a tile that begins on a lower rank.
    fn before_first(&self, rank: usize) -> usize {
        let (start, end) = (self.starts[rank], self.starts[rank + 1]);
        ((self.tiles[rank] * self.tile).min(end) - start) as usize
    }

    /// The rank that has the first element of the tile that the part of `rank` begins inside of.
    fn owner_before(&self, rank: usize) -> usize {
        let first = self.starts[rank] / self.tile * self.tile;
        let ends = &self.starts[1..];
        ends.partition_point(|&end| end <= first)
    }
}

/// The tiles of a rank.
pub struct Tiles<'a, T: Element> {
    pub cuts: Cuts,
    rank: usize,
    part: &'a Buffer<T>,
    /// Whole tiles that lie in the part, or all where none is cut.
    inner: Range<usize>,
    /// The last tile, where its end lies on other ranks, and how many elements came from each of them.
    last: Option<Vec<T>>,
    from: Vec<usize>,
}

impl<'a, T: Element> Tiles<'a, T> {
    /// Brings tiles of as many elements together. No exchange where every part begins with a tile.
    pub fn of(ranks: &impl Exchange, xs: &'a Spread<T>, tile: usize) -> Result<Tiles<'a, T>, Error> {
        let (cuts, rank, part) = (Cuts::of(xs, tile), ranks.rank(), xs.part());
        let mut tiles = Tiles { cuts, rank, part, inner: 0..part.len(), last: None, from: vec![0; ranks.size()] };
        if tiles.cuts.clean() {
            return Ok(tiles);
        }
        let before = tiles.cuts.before_first(rank);
        let mut counts = vec![0; ranks.size()];
        if before > 0 {
            counts[tiles.cuts.owner_before(rank)] = before;
        }
        let came = ranks.all_to_all_v(&together(ranks, part.done_in(0..before))?, &counts)?;
        tiles.from = came.iter().map(Vec::len).collect();
        tiles.inner.start = before;
        if tiles.from.iter().any(|&len| len > 0) {
            let whole = (part.len() - before) / tile * tile;
            tiles.inner.end = before + whole;
            let own = together(ranks, part.done_in(tiles.inner.end..part.len()))?;
            tiles.last = Some([&own[..], &came.concat()[..]].concat());
        }
        Ok(tiles)
    }

    /// Does `work` on the tiles that lie beside each other, at most twice, with the first tile of each; gives what it gives, one after the
    /// other.
    pub fn each(
        &self,
        mut work: impl FnMut(u64, &Buffer<T>) -> Result<Buffer<T>, Error>,
    ) -> Result<Vec<Buffer<T>>, Error> {
        let (device, mut done) = (self.part.device(), vec![]);
        let first = self.cuts.tiles[self.rank];
        if !self.inner.is_empty() {
            done.push(match self.part.view(self.inner.clone()) {
                Ok(view) => work(first, &view)?,
                // It begins where no view can.
                Err(_) => work(first, &device.upload(&self.part.done_in(self.inner.clone())?)?)?,
            });
        }
        if let Some(last) = &self.last {
            done.push(work(first + self.inner.len() as u64 / self.cuts.tile, &device.upload(last)?)?);
        }
        Ok(done)
    }

    /// Brings what was computed of each element back to the rank that has the element.
    pub fn back(&self, ranks: &impl Exchange, computed: Vec<Buffer<T>>) -> Result<Buffer<T>, Error> {
        let device = self.part.device();
        if self.cuts.clean() {
            let only = computed.into_iter().next();
            return only.map_or_else(|| together(ranks, device.alloc(0)), Ok);
        }
        let all = computed.iter().collect::<Vec<_>>();
        let all = together(ranks, device.joined(&all))?;
        let own = all.len() - self.from.iter().sum::<usize>();
        let came = ranks.all_to_all_v(&together(ranks, all.done_in(own..all.len()))?, &self.from)?;
        let joined = || {
            let kept = device.upload(&all.done_in(0..own)?)?;
            device.joined(&[&device.upload(&came.concat())?, &kept])
        };
        together(ranks, joined())
    }
}

/// All elements of buffers.
pub fn values<T: Element>(buffers: &[Buffer<T>]) -> Result<Vec<T>, Error> {
    let parts = buffers.iter().map(Buffer::done).collect::<Result<Vec<Done<'_, T>>, Error>>()?;
    Ok(parts.iter().map(|part| &part[..]).collect::<Vec<_>>().concat())
}
